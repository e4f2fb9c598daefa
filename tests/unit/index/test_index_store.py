"""The index in its file: what goes in can be found, and what goes out cannot."""

import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from seekread.errors import BadReply, NotConfigured
from seekread.index.document import Document, DocumentSection, take_apart
from seekread.index.store import IndexStore


@pytest.fixture
def store(tmp_path: Path) -> IndexStore:
    return IndexStore(tmp_path / "state" / "index.sqlite")


def document(url: str, markdown: str, *, date: str | None = None) -> Document:
    text = take_apart(markdown)
    return Document(url, text.title or url, text.sections, digest=markdown, date=date)


def found(store: IndexStore, text: str) -> list[str]:
    return [hit.url for hit in store.search(text).hits]


def test_nothing_is_made_before_something_is_added(store: IndexStore) -> None:
    assert store.is_empty()
    assert store.list() == ()
    assert store.digests() == {}
    assert store.remove(["file:///a"]) == 0
    assert store.rebuild() == 0
    assert not store.path.parent.exists()


def test_asking_an_index_that_is_not_there_says_what_to_do(store: IndexStore) -> None:
    store.path.parent.mkdir()
    with pytest.raises(NotConfigured, match="seekread index add"):
        store.search("anything")
    assert not store.path.exists()


def test_folder_and_file_belong_to_the_user_alone(store: IndexStore) -> None:
    store.add([document("file:///a", "words")])
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_a_path_with_odd_characters_is_a_path(tmp_path: Path) -> None:
    store = IndexStore(tmp_path / "a b#c?d%20" / "index.sqlite")
    store.add([document("file:///a", "words")])
    assert found(store, "words") == ["file:///a"]
    assert store.path.exists()


def test_a_document_is_found_by_its_best_section(store: IndexStore) -> None:
    store.add([document("file:///a", "# Guide\n\nIntro.\n\n## Install\n\nUse apt.\n\n## Run\n\nStart the server.\n")])
    (hit,) = store.search("apt").hits
    assert (hit.title, hit.heading, hit.snippet) == ("Guide", "Install", "Use apt.")


def test_a_word_in_the_title_counts_more_than_in_the_text(store: IndexStore) -> None:
    store.add(
        [document(f"file:///{number}", f"# Notes {number}\n\nOther things.") for number in range(10)]
        + [
            document("file:///body", "# Various\n\nTurtles go on to where other turtles are for a while."),
            document("file:///title", "# Turtles\n\nA text that goes on about other things for a while."),
        ]
    )
    assert found(store, "turtles") == ["file:///title", "file:///body"]


@pytest.mark.parametrize("text", ["strasse", "STRASSE", "straße", "cafe", "Cafés"])
def test_case_accents_and_number_do_not_matter(store: IndexStore, text: str) -> None:
    store.add([document("file:///a", "Das Café an der Straße.")])
    assert found(store, text) == ["file:///a"]


@pytest.mark.parametrize(
    "text",
    [
        "東京",
        "京都",
        "東京都",
        "首都",
        "都",
        "首",
        "す",
        "입문",
        "한국어",
        "어",
        "入門",
        "Python",
        "Python入門",
        "サーバー",
        "ーバ",
    ],
)
def test_chinese_japanese_and_korean_words_are_found_whatever_their_length(store: IndexStore, text: str) -> None:
    store.add([document("file:///a", "東京都は日本の首都です。Python入門。サーバー。한국어 입문서")])
    hits = store.search(text)
    assert [hit.url for hit in hits.hits] == ["file:///a"]
    assert not hits.loosened
    assert text in hits.hits[0].snippet


SENTENCES = {
    "Thai": "ผมเรียนอยู่ที่มหาวิทยาลัยในประเทศไทย",
    "Lao": "ນະຄອນຫຼວງວຽງຈັນເປັນເມືອງຫຼວງ",
    "Khmer": "រាជធានីភ្នំពេញជាទីក្រុងធំ",
    "Burmese": "ကျွန်တော်မြန်မာနိုင်ငံမှာနေတယ်",
}


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("Thai", "มหาวิทยาลัย"),
        ("Thai", "ประเทศ"),
        ("Thai", "ที่"),
        ("Thai", "ทย"),
        ("Thai", "ย"),
        ("Lao", "ວຽງຈັນ"),
        ("Khmer", "ភ្នំពេញ"),
        ("Burmese", "မြန်မာ"),
    ],
)
def test_a_word_inside_a_run_of_a_script_without_spaces_is_found(store: IndexStore, language: str, word: str) -> None:
    """A word that stands in eight files was told as "nothing found" (M4)."""
    store.add([document(f"file:///{number}", SENTENCES[language]) for number in range(8)])
    hits = store.search(word)
    assert len(hits.hits) == 8
    assert not hits.loosened
    assert word in hits.hits[0].snippet


@pytest.mark.parametrize("language", SENTENCES)
def test_such_documents_can_be_taken_out_again(store: IndexStore, language: str) -> None:
    store.add([document("file:///a", SENTENCES[language])])
    store.remove(["file:///a"])
    assert store.search(SENTENCES[language]).hits == ()


def test_characters_that_are_not_next_to_each_other_are_not_a_word(store: IndexStore) -> None:
    store.add([document("file:///a", "東の京")])
    assert found(store, "東京") == []


def test_a_long_question_without_spaces_finds_what_has_its_words(store: IndexStore) -> None:
    store.add([document("file:///a", "東京の人口"), document("file:///b", "大阪の食べ物")])
    hits = store.search("東京にはどのくらい人がいますか")
    assert hits.loosened
    assert hits.hits[0].url == "file:///a"


@pytest.mark.parametrize(
    "text",
    [
        '"',
        '""',
        "(",
        ")",
        "a AND",
        "NOT",
        "NEAR(",
        "*",
        "^x",
        "x:y",
        "-x",
        "{a b}",
        "'",
        ";--",
        "\\",
        "a OR",
        "\0",
        "\ud800",
        "site:example.org words",
        'words "unclosed',
        "words*",
        "title:words",
        "words AND NOT text",
        "+words",
        "wörds^2",
    ],
)
def test_no_text_a_user_can_type_breaks_the_search(store: IndexStore, text: str) -> None:
    store.add([document("file:///a", "# Plain\n\nSome words, one text, site, title.")])
    assert found(store, text) == (["file:///a"] if "w" in text else [])


def test_a_phrase_wants_its_words_in_order(store: IndexStore) -> None:
    store.add([document("file:///a", "the quick brown fox"), document("file:///b", "brown and quick")])
    assert found(store, '"quick brown"') == ["file:///a"]
    assert found(store, '"quick fox"') == []


def test_a_phrase_is_still_wanted_when_the_other_words_are_nowhere(store: IndexStore) -> None:
    store.add([document("file:///a", "the quick brown fox"), document("file:///b", "brown zebra")])
    hits = store.search('"quick brown" zebra')
    assert ([hit.url for hit in hits.hits], hits.loosened) == (["file:///a"], True)


def test_or_is_content_with_either(store: IndexStore) -> None:
    store.add(
        [document("file:///a", "a red car"), document("file:///b", "a blue car"), document("file:///c", "a green car")]
    )
    assert sorted(found(store, "car red OR blue")) == ["file:///a", "file:///b"]


def test_all_words_are_wanted_first_and_some_only_when_no_document_has_all(store: IndexStore) -> None:
    store.add([document("file:///a", "red apple"), document("file:///b", "red pear tree")])
    both = store.search("red apple")
    assert ([hit.url for hit in both.hits], both.loosened) == (["file:///a"], False)
    some = store.search("pear tree zebra")
    assert ([hit.url for hit in some.hits], some.loosened) == (["file:///b"], True)


def test_a_long_question_is_not_answered_by_the_one_text_with_all_its_words_alone(store: IndexStore) -> None:
    store.add(
        [
            document("file:///all", "The pear tree, the red apple and the wind of autumn."),
            document("file:///some", "Red apple, red apple and the pear."),
        ]
    )
    answer = store.search("which red apple or pear comes in autumn with the wind")
    assert ({hit.url for hit in answer.hits}, answer.loosened) == ({"file:///all", "file:///some"}, True)
    whole = store.search("What of the red apple, pear tree, autumn wind?")
    assert ({hit.url for hit in whole.hits}, whole.loosened) == ({"file:///all", "file:///some"}, False)
    words = store.search("red apple pear tree autumn wind")
    assert ({hit.url for hit in words.hits}, words.loosened) == ({"file:///all"}, False)
    many = store.search("red apple pear tree autumn wind of the the apple pears")
    assert {hit.url for hit in many.hits} == {"file:///all", "file:///some"}


def test_a_text_is_carried_by_the_texts_that_are_like_it(store: IndexStore) -> None:
    """What is relevant is alike: it may have other words for what the question asks."""
    store.add(document(f"file:///other/{number}", f"Summer of {number}.") for number in range(12))
    store.add(
        [
            document("file:///one", "Why glaciers melt: moraine, firn and crevasse in summer."),
            document("file:///two", "Glaciers melt away over moraine, firn and crevasse."),
            document("file:///alone", "A hotel, skis and a restaurant on glaciers."),
            document("file:///alike", "A moraine, firn and a crevasse on glaciers."),
        ]
    )
    hits = [hit.url for hit in store.search("why do the glaciers melt in summer, and how fast?").hits]
    assert hits.index("file:///alike") < hits.index("file:///alone")


def test_what_has_only_frequent_words_is_found_where_nothing_else_may_be_shown(store: IndexStore) -> None:
    rare, frequent = "zebra crossing", "weather report of the day"
    store.add(document(f"https://a.example/{number}", f"{rare}, {frequent}") for number in range(5_100))
    store.add(document(f"https://b.example/{number}", frequent) for number in range(50))
    question = "is a zebra crossing in the weather report of today?"
    assert len(store.search(question).hits) == 10
    assert len(store.search(question, allowed_domains=("b.example",)).hits) == 10


def test_more_and_rarer_words_count_more_than_one_word_many_times(store: IndexStore) -> None:
    store.add(
        [
            document("file:///often", "Pages, pages, pages and more pages."),
            document("file:///most", "A page may have hidden text, and there are long remarks about other things too."),
            document("file:///text", "Text on a page."),
        ]
    )
    hits = store.search("why hidden text pages zebra")
    assert hits.loosened
    assert [hit.url for hit in hits.hits] == ["file:///most", "file:///text", "file:///often"]


def test_pages_follow_each_other_and_the_end_is_the_end(store: IndexStore) -> None:
    store.add(document(f"file:///{number}", f"common words {'common ' * number}") for number in range(5))
    store.add(document(f"file:///some/{number}", "common only") for number in range(10))
    pages = [store.search("common words", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [len(page.hits) for page in pages] == [2, 2, 1, 0]
    assert len({hit.url for page in pages for hit in page.hits}) == 5
    assert not any(page.loosened for page in pages)


def test_domains_are_matched_on_label_boundaries_and_a_file_has_none(store: IndexStore) -> None:
    urls = ["https://a.example.org/1", "https://example.org/2", "https://badexample.org/3", "file:///4"]
    store.add(document(url, "words") for url in urls)
    allowed = {hit.url for hit in store.search("words", allowed_domains=("example.org",)).hits}
    blocked = {hit.url for hit in store.search("words", blocked_domains=("example.org",)).hits}
    assert (allowed, blocked) == (set(urls[:2]), set(urls[2:]))


def test_dates_bound_the_hits_and_the_undated_pass(store: IndexStore) -> None:
    dates = {"file:///old": "2020-01-01", "file:///new": "2024-06-30", "file:///none": None}
    store.add(document(url, "words", date=date) for url, date in dates.items())
    since = {hit.url for hit in store.search("words", date_from="2024-06-30").hits}
    until = {hit.url for hit in store.search("words", date_to="2020-01-01").hits}
    assert (since, until) == ({"file:///new", "file:///none"}, {"file:///old", "file:///none"})


def test_a_document_takes_the_place_of_its_former_self(store: IndexStore) -> None:
    store.add([document("file:///a", "# Before\n\nerstwhile words")])
    store.add([document("file:///a", "# After\n\nmodern words")])
    assert found(store, "erstwhile") == []
    assert found(store, "modern") == ["file:///a"]
    assert [listed.title for listed in store.list()] == ["After"]


def test_removing_takes_what_is_below_but_not_what_only_begins_alike(store: IndexStore) -> None:
    store.add(document(url, "words") for url in ("file:///a/x", "file:///a/y/z", "file:///ab", "https://a.example/_"))
    assert store.remove(["file:///a"]) == 2
    assert [listed.url for listed in store.list()] == ["file:///ab", "https://a.example/_"]
    assert store.remove(["https://a.example/%"]) == 0


def test_rebuilding_changes_no_answer(store: IndexStore) -> None:
    store.add([document("file:///a", "# Guide\n\n東京 words"), document("file:///b", "more words")])
    before = store.search("words")
    assert store.rebuild() == 2
    assert store.search("words") == before
    assert found(store, "東京") == ["file:///a"]


def test_rebuilding_repairs_words_that_were_lost(store: IndexStore) -> None:
    store.add([document("file:///a", "words")])
    with sqlite3.connect(store.path) as database:
        database.execute("DELETE FROM words")
    database.close()
    assert found(store, "words") == []
    store.rebuild()
    assert found(store, "words") == ["file:///a"]


def test_an_emptied_index_is_empty(store: IndexStore) -> None:
    store.add([document("file:///a", "words")])
    assert not store.is_empty()
    store.remove(["file:///a"])
    assert store.is_empty()


def test_a_change_that_fails_half_way_leaves_the_index_as_it_was(store: IndexStore) -> None:
    store.add([document("file:///a", "words")])
    broken = Document("file:///a", "title", (DocumentSection(5, "text"),), digest="")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        store.add([broken])
    assert found(store, "words") == ["file:///a"]


def test_a_file_that_is_no_database_is_damaged_not_empty(store: IndexStore) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(b"this is not a database, by far not one" * 100)
    attempts: list[Callable[[], object]] = [
        store.is_empty,
        store.list,
        lambda: store.search("x"),
        lambda: store.add([]),
    ]
    for attempt in attempts:
        with pytest.raises(BadReply, match="delete it"):
            attempt()


def test_a_database_of_another_program_is_left_alone(store: IndexStore) -> None:
    store.path.parent.mkdir()
    with sqlite3.connect(store.path) as database:
        database.execute("CREATE TABLE documents (precious TEXT)")
    database.close()
    attempts: list[Callable[[], object]] = [store.is_empty, lambda: store.add([document("file:///a", "words")])]
    for attempt in attempts:
        with pytest.raises(BadReply, match="another program"):
            attempt()
    with sqlite3.connect(store.path) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("documents",)]
    database.close()


def test_an_index_of_another_version_is_not_misread(store: IndexStore) -> None:
    store.add([document("file:///a", "words")])
    with sqlite3.connect(store.path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(BadReply, match="another version"):
        store.search("words")


def test_a_folder_where_the_index_should_be_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadReply):
        IndexStore(tmp_path).add([document("file:///a", "words")])


def test_other_forms_of_a_word_are_found_in_the_languages_of_the_index(store: IndexStore) -> None:
    store.add(
        [
            document("file:///en", "# One\n\nThe boxes were connected with the pipes that are in the house."),
            document("file:///de", "# Zwei\n\nDie Häuser sind mit den Leitungen verbunden, die in der Erde liegen."),
        ]
    )
    assert found(store, "connecting pipe") == ["file:///en"]
    assert found(store, "Leitung") == ["file:///de"]


def test_a_quoted_phrase_is_found_letter_for_letter_although_stems_are_stored(store: IndexStore) -> None:
    store.add([document("file:///a", "# One\n\nThe boxes were connected with the pipes that are in the house.")])
    assert found(store, '"connected with the pipes"') == ["file:///a"]
    assert found(store, '"connecting with the pipe"') == []


def test_a_word_that_stands_nowhere_is_looked_for_by_its_parts(store: IndexStore) -> None:
    store.add(
        [
            document("file:///river", "# Fluss\n\nDas Becken des Amazonas ist so groß wie ein Land."),
            document("file:///other", "# Berg\n\nDie Alpen sind ein Gebirge, das man in der Schule gut kennt."),
        ]
    )
    assert found(store, "Amazonasbecken") == ["file:///river"]


def test_words_that_stand_together_count_more_than_the_same_words_apart(store: IndexStore) -> None:
    apart = "The wing was long. " + "Nothing else was said here about it. " * 3 + "A tunnel was built by the river."
    together = "The wing was put in the tunnel. " + "Nothing else was said here about it. " * 3 + "It was by the river."
    store.add([document("file:///apart", apart), document("file:///together", together)])
    assert found(store, "wing tunnel zeppelin") == ["file:///together", "file:///apart"]


def test_searches_share_a_connection_and_see_what_is_added_since(store: IndexStore) -> None:
    store.add([document("file:///a", "# One\n\nred")])
    assert found(store, "red") == ["file:///a"]
    kept = store._kept
    store.add([document("file:///b", "# Two\n\nred")])
    assert set(found(store, "red")) == {"file:///a", "file:///b"}
    assert store._kept is kept


def test_an_index_that_was_put_in_place_of_another_is_the_one_that_is_searched(store: IndexStore) -> None:
    store.add([document("file:///a", "# One\n\nred")])
    assert found(store, "red") == ["file:///a"]
    other = IndexStore(store.path.with_name("other.sqlite"))
    other.add([document("file:///b", "# Two\n\nred")])
    for left in store.path.parent.glob(f"{store.path.name}-*"):
        left.unlink()
    other.path.replace(store.path)
    assert found(store, "red") == ["file:///b"]
