"""Pages read by crawl4ai, in a process of its own behind the guard."""
