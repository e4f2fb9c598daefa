"""Reading in bulk: any number of addresses, politely, into a file that survives whoever writes it."""

from seekread.batch.reader import Reader
from seekread.batch.record import PageRecord
from seekread.calling.courtesy import Manners

__all__ = ["Manners", "PageRecord", "Reader"]
