"""A page that was read, as text: pure tools on Markdown, without I/O."""
