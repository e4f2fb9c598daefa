"""The HTTP service: the engine for programs and people that speak HTTP. Needs the extra `server`."""
