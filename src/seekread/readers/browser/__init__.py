"""Pages that need JavaScript, read in a Chromium behind the guard."""
