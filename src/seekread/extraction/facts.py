"""
What a page says of a thing to programs: the price of a product, the day of an event, the pay of a job.

JSON-LD is text that nobody sees, so it does not simply become text. A fact is told if the page shows it as well; a
number, a day or one of the standard's own words may be told without that, since no sentence fits into it, and the
signals say so. Whole texts (the steps of a recipe, the answers of a FAQ) come from JSON-LD only when the page shows
next to nothing itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

from seekread.extraction.metadata import name_of
from seekread.extraction.structured import Structured, as_text, types_of
from seekread.late import dataclass
from seekread.page.dates import moment_in

Thing = dict[str, Any]
Teller = Callable[[Thing], Iterator["Fact"]]
TYPED = re.compile(r"[\d.,:/ TZ+-]{1,30}(?: [A-Z]{3})?|[A-Z]{3} [\d.,-]{1,20}")
"""Figures, days and sums of money."""
FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
DURATION = re.compile(r"P(?:(\d{1,3})D)?(?:T(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:\d{1,5}S)?)?")
LONGEST = 120
MOST_PARTS = 60


@dataclass(frozen=True)
class Fact:
    """One fact; `known` says that its value is one of the standard's own words."""

    label: str
    value: str
    known: bool = False

    @property
    def is_typed(self) -> bool:
        """Whether no sentence fits into it."""
        return self.known or TYPED.fullmatch(self.value) is not None


def text(value: Any) -> str:
    """A short text or number of JSON-LD on one line."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or ""
    return " ".join(as_text(str(value)).split())[:LONGEST] if isinstance(value, str | int | float) else ""


def first(value: Any) -> Thing:
    """An object, or the first of several."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else {}


def offer_facts(thing: Thing) -> Iterator[Fact]:
    offer = first(thing.get("offers"))
    currency = text(offer.get("priceCurrency"))
    low, high = text(offer.get("price") or offer.get("lowPrice")), text(offer.get("highPrice"))
    price = f"{low} to {high}" if low and high and high != low else low
    if price:
        yield Fact(
            "Price", f"{price} {currency}".strip(), known=TYPED.fullmatch(f"{low}{high} {currency}".strip()) is not None
        )
    state = text(offer.get("availability")).rpartition("/")[2]
    if state in AVAILABILITY:
        yield Fact("Availability", AVAILABILITY[state], known=True)


AVAILABILITY = {
    "InStock": "in stock", "OutOfStock": "out of stock", "PreOrder": "pre-order", "BackOrder": "back-order",
    "Discontinued": "discontinued", "LimitedAvailability": "limited", "SoldOut": "sold out",
    "OnlineOnly": "online only", "InStoreOnly": "in store only",
}  # fmt: skip


def rating_facts(thing: Thing) -> Iterator[Fact]:
    rating = first(thing.get("aggregateRating"))
    value, best = text(rating.get("ratingValue")), text(rating.get("bestRating")) or "5"
    count = text(rating.get("reviewCount") or rating.get("ratingCount"))
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{1,3})?", value) and re.fullmatch(r"\d{1,3}", best):
        counted = f" ({count} reviews)" if re.fullmatch(r"\d{1,9}", count) else ""
        yield Fact("Rating", f"{value} of {best}{counted}", known=True)


def product_facts(thing: Thing) -> Iterator[Fact]:
    yield from offer_facts(thing)
    yield from rating_facts(thing)
    yield Fact("Brand", name_of(thing.get("brand")))


def event_facts(thing: Thing) -> Iterator[Fact]:
    yield Fact("Starts", moment_in(text(thing.get("startDate"))) or "")
    yield Fact("Ends", moment_in(text(thing.get("endDate"))) or "")
    yield Fact("Place", text(first(thing.get("location")).get("name") or thing.get("location")))
    yield from offer_facts(thing)


def recipe_facts(thing: Thing) -> Iterator[Fact]:
    yield Fact("Time", duration(text(thing.get("totalTime") or thing.get("cookTime"))), known=True)
    yield Fact("Yield", text(thing.get("recipeYield")))
    yield from rating_facts(thing)


def job_facts(thing: Thing) -> Iterator[Fact]:
    yield Fact("Employer", name_of(thing.get("hiringOrganization")))
    address = first(first(thing.get("jobLocation")).get("address"))
    yield Fact("Place", text(address.get("addressLocality") or address.get("addressRegion")))
    salary = first(thing.get("baseSalary"))
    amount = first(salary.get("value"))
    low, high = text(amount.get("minValue") or amount.get("value")), text(amount.get("maxValue"))
    yield Fact("Pay", " ".join(filter(None, (f"{low} - {high}" if high else low, text(salary.get("currency"))))))
    yield Fact("Posted", moment_in(text(thing.get("datePosted"))) or "")
    yield Fact("Open until", moment_in(text(thing.get("validThrough"))) or "")


def duration(written: str) -> str:
    """A span of time as people write it."""
    match = DURATION.fullmatch(written)
    parts = zip(match.groups(), ("d", "h", "min"), strict=True) if match else ()
    return " ".join(f"{number} {unit}" for number, unit in parts if number and int(number))


TELLERS: Mapping[str, Teller] = {
    "Product": product_facts,
    "ProductGroup": product_facts,
    "Event": event_facts,
    "MusicEvent": event_facts,
    "BusinessEvent": event_facts,
    "EducationEvent": event_facts,
    "Recipe": recipe_facts,
    "JobPosting": job_facts,
}


def only_thing(structured: Structured) -> tuple[Thing, Teller] | None:
    """The one thing a page is about; a page with several is a list, whose items tell their facts themselves."""
    found = [(thing, TELLERS[name]) for thing in structured.objects for name in types_of(thing) if name in TELLERS]
    return found[0] if len(found) == 1 else None


def facts_of(structured: Structured, page_text: str) -> tuple[list[Fact], int]:
    """The facts that may be told about a page, and how many of them the page does not show."""
    found = only_thing(structured)
    if found is None:
        return [], 0
    thing, tell = found
    shown = squeezed(page_text)
    seen = [(fact, is_shown(fact, shown)) for fact in tell(thing) if fact.value]
    told = [(fact, is_seen) for fact, is_seen in seen if is_seen or fact.is_typed]
    return [fact for fact, _ in told], sum(not is_seen for _, is_seen in told)


def is_shown(fact: Fact, shown: str) -> bool:
    """Say whether a page shows a fact: in its words, or where it is figures in its figures, whatever stands beside."""
    figures = FIGURES.findall(fact.value) if fact.is_typed else []
    return squeezed(fact.value) in shown or (bool(figures) and all(figure in shown for figure in figures))


def squeezed(words: str) -> str:
    """A text without spaces and case, to look for another in it."""
    return "".join(words.casefold().split())


def facts_html(facts: list[Fact]) -> str:
    """Facts as one paragraph of HTML."""
    told = " · ".join(f"<b>{escape(fact.label)}:</b> {escape(fact.value)}" for fact in facts)
    return f"<p>{told}</p>" if told else ""


def thing_html(structured: Structured) -> str:
    """A thing whole, for a page that shows next to nothing: its description, its parts, its questions and answers."""
    questions = [thing for thing in structured.objects if "Question" in types_of(thing)]
    asked = "".join(
        f"<h2>{escape(text(question.get('name')))}</h2>{paragraphs(first(question.get('acceptedAnswer')).get('text'))}"
        for question in questions[:MOST_PARTS]
    )
    found = only_thing(structured)
    if found is None:
        return asked
    thing, tell = found
    told = facts_html([fact for fact in tell(thing) if fact.value])
    ingredients = listed("ul", thing.get("recipeIngredient"))
    steps = listed("ol", thing.get("recipeInstructions"))
    return f"{told}{paragraphs(thing.get('description'))}{ingredients}{steps}{asked}"


def paragraphs(value: Any) -> str:
    written = as_text(value) if isinstance(value, str) else ""
    return "".join(f"<p>{escape(part)}</p>" for part in written.split("\n") if part.strip())


def listed(tag: str, values: Any) -> str:
    """A list of texts, or of objects that hold one, as HTML."""
    values = values if isinstance(values, list) else [values] if values else []
    items = [
        as_text(str(item.get("text") or item.get("name") or "") if isinstance(item, dict) else str(item))
        for item in values
    ]
    rows = "".join(f"<li>{escape(item)}</li>" for item in items[:MOST_PARTS] if item)
    return f"<{tag}>{rows}</{tag}>" if rows else ""
