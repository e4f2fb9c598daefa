"""How a document is read, and how much of it."""

from collections.abc import Mapping
from dataclasses import field

from seekread.late import dataclass
from seekread.models import USUAL, PageShape


@dataclass(frozen=True)
class ExtractOptions:
    """
    Limits of reading one document.

    `plain` asks for the reader of last resort, with the reason; it is set when the real one failed.
    `images` writes images as links, `[image: alt](https://…)`.
    `sheets` are linked style sheets, by their address as the page writes it.
    `shape` says which elements are read, and whether HTML is wanted.
    `every_link` lists every link of a page that a person can see, menus included, instead of those in its content.
    `rendered` says that a browser of ours rendered the page and marked what it does not show.
    """

    characters: int = 2_000_000
    pdf_pages: int = 1000
    pdf_seconds: float = 4.0
    plain: str = ""
    images: bool = False
    every_link: bool = False
    rendered: bool = False
    sheets: Mapping[str, str] = field(default_factory=dict)
    shape: PageShape = USUAL
