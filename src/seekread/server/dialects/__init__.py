"""Other vendors' dialects: existing applications get failover, cache and guard by changing a base URL."""
