"""The four functions as they are, text in and text out: `python plain_functions.py https://example.org/article`."""

import sys

from seekread.functions import gather, open_page, page_lookup, web_search

found = web_search("how does retry with jitter work", limit=1)
print("The search failed." if found.startswith("Error:") else found)
print(gather("why does jitter help", budget=1000, pages=1))
print(open_page(sys.argv[1], max_length=2000))
print(page_lookup(sys.argv[1], "quote", "Tea is made from leaves."))
