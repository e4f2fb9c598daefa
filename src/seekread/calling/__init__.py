"""What searching and reading share: how anyone outside is called, within a deadline, a pace and a plan."""
