"""Reading: fetch, sniff, wash, extract, and everything that works on what was read."""
