"""How a document is read, and how much of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ExtractOptions:
    """
    Limits of reading one document.

    `plain` asks for the reader of last resort, with the reason; it is set when the real one failed.
    `images` writes images as links, `[image: alt](https://…)`.
    """

    characters: int = 2_000_000
    pdf_pages: int = 1000
    pdf_seconds: float = 4.0
    plain: str = ""
    images: bool = False
