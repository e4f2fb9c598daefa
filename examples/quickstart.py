import asyncio

from seekread import Seekread


async def main() -> None:
    async with Seekread() as web:
        response = await web.search("how does retry with jitter work", limit=3)
        for result in response.results:
            print(f"[{result.citation_id}] {result.title} {result.url}")
        if response.results:
            page = await web.open_page(response.results[0].url, query="why jitter", max_length=1000)
            print(page.content if page.success else page.error)


asyncio.run(main())
