"""The console: search, read and see how the service is doing, in a browser. Rendered here; works without JavaScript."""
