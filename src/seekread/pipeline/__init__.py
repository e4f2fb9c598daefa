"""The steps of a search and a read, one file each."""
