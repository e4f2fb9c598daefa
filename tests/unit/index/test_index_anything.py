"""Whatever text goes in or is asked for, the index stays sound."""

import sqlite3
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seekread.index.document import Document, take_apart
from seekread.index.expression import parse
from seekread.index.store import IndexStore

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | st.text(
    'a東京か゛é\u0301ーｶﾞ한 ()"*:-OR#`\n', max_size=60
)
query = st.text(max_size=80) | st.text('ab東 "()*:^-+{}ORANDNOT', max_size=40)

relaxed = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def words_left(store: IndexStore) -> int:
    database = sqlite3.connect(store.path)
    database.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, 'row')")
    (count,) = database.execute("SELECT count(*) FROM temp.vocabulary").fetchone()
    database.close()
    return int(count)


@relaxed
@given(texts=st.lists(text, min_size=1, max_size=4), asked=query)
def test_no_text_breaks_the_index_and_removing_it_leaves_no_word_behind(
    tmp_path: Path, texts: list[str], asked: str
) -> None:
    store = IndexStore(tmp_path / "index.sqlite")
    apart = [take_apart(each) for each in texts]
    store.add(Document(f"file:///{n}", each.title, each.sections, "") for n, each in enumerate(apart))
    store.search(asked)
    for number, each in enumerate(apart):
        wanted = each.sections[0].text
        if parse(wanted) and len(wanted) < 40 and '"' not in wanted and "OR" not in wanted:
            assert f"file:///{number}" in {hit.url for hit in store.search(wanted, limit=50).hits}
    store.remove(f"file:///{number}" for number in range(len(texts)))
    assert store.is_empty()
    assert words_left(store) == 0
