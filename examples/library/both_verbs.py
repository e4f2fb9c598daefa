import asyncio

from seekread import Seekread


async def main() -> None:
    async with Seekread() as web:
        response = await web.search("solid state battery", limit=5, freshness="month")
        page = await web.open_page(response.results[0].url)
        print(page.content)


asyncio.run(main())
