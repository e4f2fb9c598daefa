"""What every search engine of the web must find."""

from seekread.provider import KnownAnswer

ON_THE_WEB = (KnownAnswer("Wikipedia the free encyclopedia", "wikipedia.org"),)
