"""A document from bytes to Markdown: sniffed, washed, its main content chosen and written down."""
