"""A search: `engine.py` is its table of contents, every other file one step."""
