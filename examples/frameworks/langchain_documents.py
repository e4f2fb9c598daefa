"""Pages of the web as LangChain documents: passages for a question, and whole pages."""

from langchain_core.documents import Document

from seekread.integrations.langchain import SeekreadLoader, SeekreadRetriever


def evidence(question: str) -> list[Document]:
    """Verbatim passages from the best pages; `metadata` has source, title, date and a link to the place."""
    return SeekreadRetriever(budget=1500, pages=3).invoke(question)


def whole_pages(urls: list[str]) -> list[Document]:
    """A page that cannot be read raises; `skip_failed=True` leaves it out instead."""
    return SeekreadLoader(urls, skip_failed=True).load()
