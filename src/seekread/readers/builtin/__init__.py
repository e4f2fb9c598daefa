"""Our own reader: fetch within bounds, read in worker processes."""
