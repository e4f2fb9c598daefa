"""Evidence: search, read the best pages, and choose over all of them the passages that answer, within one budget."""
