"""Two searches as the agent makes them. Set BRAVE_SEARCH_API_KEY first."""

from seekread.integrations.basirah import WebSearchTool

tool = WebSearchTool()

answer = tool.execute(
    query="business model competitive advantages", company="Apple Inc", count=5, search_type="general"
)
if answer["success"]:
    print(f"Found {answer['data']['total_results']} results")
    for item in answer["data"]["results"]:
        print(f"\n{item['title']}")
        print(f"  {item['url']}")
        print(f"  {item['age']} - {item['source']}")
        print(f"  Snippets: {len(item['extra_snippets'])}")
else:
    print(f"Error: {answer['error']}")

answer = tool.execute(query="management changes", company="Microsoft", count=10, search_type="news", freshness="month")
if answer["success"]:
    print(f"\nRecent news: {answer['data']['total_results']} articles")
else:
    print(f"Error: {answer['error']}")
