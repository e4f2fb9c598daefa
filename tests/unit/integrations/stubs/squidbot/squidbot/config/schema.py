"""The settings of the host's search. No value is null: the host refuses that."""

from typing import Any

from pydantic import BaseModel, Field


class WebSearchConfig(BaseModel):
    enabled: bool = False
    provider: str = "searxng"
    url: str = ""
    api_key: str = ""


class FetchUrlToolConfig(BaseModel):
    enabled: bool = True


class ToolsConfig(BaseModel):
    web_search: WebSearchConfig = Field(default_factory=WebSearchConfig)
    fetch_url: FetchUrlToolConfig = Field(default_factory=FetchUrlToolConfig)
    mcp_servers: dict[str, Any] = Field(default_factory=dict)


class Settings(BaseModel):
    tools: ToolsConfig = Field(default_factory=ToolsConfig)
