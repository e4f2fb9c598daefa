"""Drop-ins for hosts: which files take which place in a checkout, how they get there, and how they leave it again."""
