import asyncio

from seekread import SearchResult, Seekread


class Shelf:
    name = "shelf"

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        books = {"Tea": "https://books.example/tea", "Coffee": "https://books.example/coffee"}
        return [SearchResult(title=t, url=u, snippet=f"A book about {t}.") for t, u in books.items()][:limit]


async def main() -> None:
    async with Seekread() as web:
        web.register(Shelf())
        response = await web.search("hot drinks", allowed_domains=["books.example"])
        print(*(f"[{r.citation_id}] {r.title}" for r in response.results), response.filters)


asyncio.run(main())
