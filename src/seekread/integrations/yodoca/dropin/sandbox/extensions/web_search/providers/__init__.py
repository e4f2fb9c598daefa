"""
One file for each service. A new engine is a new file.

A class with `async search(query, *, limit=5)` or `async read_url(url)` in `acme.py` is chosen with
`search_provider: acme` or `read_provider: acme`; its constructor gets the extension's context if it takes an argument.
"""
