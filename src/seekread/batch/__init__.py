"""Reading and searching in bulk: any number of addresses or queries, into a file that survives whoever writes it."""

from seekread.batch.reader import Reader
from seekread.batch.record import PageRecord
from seekread.batch.search_record import SearchRecord
from seekread.batch.searcher import Searcher
from seekread.calling.courtesy import Manners

__all__ = ["Manners", "PageRecord", "Reader", "SearchRecord", "Searcher"]
