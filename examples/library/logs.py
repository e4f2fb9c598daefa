import logging
import sys

from seekread import search
from seekread.redact import RedactingFilter


class Table(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        told = getattr(record, "seekread", None)  # the values of an event, for machines
        print(told or record.getMessage(), file=sys.stderr)


handler = Table()
handler.addFilter(RedactingFilter(["a key of another library's"]))
logging.getLogger("seekread").addHandler(handler)
logging.getLogger("seekread").setLevel(logging.INFO)

print(len(search("green tea", limit=3).results))
