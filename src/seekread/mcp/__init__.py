"""The tools for any client of the Model Context Protocol: stdio, streamable HTTP and SSE. Needs `seekread[mcp]`."""
