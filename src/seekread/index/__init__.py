"""A local full-text index that is a search provider like any other."""
