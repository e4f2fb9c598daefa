"""`seekread index`: put documents into the local index, look at them, take them out again."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.terminal import note, say
from seekread.hostnames import completed
from seekread.printable import on_a_line

if TYPE_CHECKING:
    from seekread.index.store import IndexStore
    from seekread.index.update import UpdateReport
    from seekread.models import Page


@click.group("index")
@click.option(
    "--index",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The index to use instead of the configured one.",
)
@click.pass_context
def index(context: click.Context, path: Path | None) -> None:
    """Search your own documents: keep Markdown, text, HTML and PDF files and pages in a local index."""
    context.obj = path


@index.command("add")
@click.argument("sources", nargs=-1, metavar="[PATH|URL]...")
@click.option("--docs", is_flag=True, help="Add the documentation of seekread itself.")
@click.option("--site", "sites", multiple=True, metavar="URL", help="Add the pages of a site; repeatable.")
@click.option("--limit", type=click.IntRange(1), default=1000, show_default=True, help="Pages of a site at most.")
@click.option("--delay", type=click.FloatRange(0), help="Seconds between two of them, instead of the setting.")
@click.pass_context
def add(
    context: click.Context,
    sources: tuple[str, ...],
    docs: bool,
    sites: tuple[str, ...],
    limit: int,
    delay: float | None,
) -> None:
    """
    Add files, folders, web pages and sites, or bring them up to date.

    What has not changed is skipped; what has vanished from a folder is dropped. A site is crawled politely; begin
    again to go on with one that was interrupted.
    """
    from seekread.index.sources import files_in, shipped_docs
    from seekread.index.update import UpdateReport, add_files

    urls = [source for source in sources if is_url(source)]
    paths = [existing(source) for source in sources if not is_url(source)]
    if docs:
        paths.append(shipped_docs())
    if not urls and not paths and not sites:
        raise click.UsageError("name a file, a folder or a URL, or use --site or --docs")
    store = opened(context)
    report = UpdateReport()
    with progress(sum(1 for path in paths for _ in files_in(path)) + len(urls)) as advance:
        if paths:
            report += add_files(store, paths, on_file=lambda _: advance())
        if urls:
            report += add_urls(store, urls, chosen(context), advance)
    for site in sites:
        report += add_site(store, site, chosen(context), limit=limit, delay=delay)
    note(*(f"skipped: {reason}" for reason in report.skipped), summary(report))
    if report.skipped and not (report.added or report.updated or report.unchanged):
        context.exit(1)


@index.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_documents(context: click.Context, as_json: bool) -> None:
    """List what is in the index: date, title, address and handle of each document."""
    documents = opened(context).list()
    if as_json:
        say(json.dumps([asdict(document) for document in documents], ensure_ascii=False, indent=2))
        return
    for document in documents:
        say(on_a_line(f"{document.date or '-':<10}  {document.title}  {document.url}  index:{document.handle}"))
    note(f"{count(len(documents))} in the index")


@index.command("remove")
@click.argument("sources", nargs=-1, required=True, metavar="PATH|URL...")
@click.pass_context
def remove(context: click.Context, sources: tuple[str, ...]) -> None:
    """Take documents out: a file, everything below a folder, a page, or everything below an address."""
    removed = opened(context).remove(
        source if is_url(source) else Path(source).expanduser().resolve().as_uri() for source in sources
    )
    note(f"removed {count(removed)}")
    if not removed:
        context.exit(1)


@index.command("rebuild")
@click.pass_context
def rebuild(context: click.Context) -> None:
    """Make the index anew from the text it holds, and give unused disk space back."""
    documents = opened(context).rebuild()
    note(f"rebuilt {count(documents)}")


def opened(context: click.Context) -> "IndexStore":
    """The index that was named, or the configured one."""
    from seekread.index.store import IndexStore

    path = context.find_object(Path)
    if path is None:
        from seekread.compose import index_path
        from seekread.config.sources import load

        options = chosen(context)
        path = index_path(load(options.get("settings"), file=options.get("config")))
    return IndexStore(path)


def chosen(context: click.Context) -> dict[str, Any]:
    """What was chosen before the command: settings file and settings."""
    return context.find_object(dict) or {}


def add_urls(
    store: "IndexStore", urls: list[str], options: dict[str, Any], advance: Callable[[], None]
) -> "UpdateReport":
    """Read pages as they are now, and index them whole."""
    import anyio

    from seekread.client import WHOLE, Seekread
    from seekread.index.update import add_pages

    async def run() -> "UpdateReport":
        async with Seekread(settings=options.get("settings"), config=options.get("config")) as web:
            web.trust(*urls)

            async def open_page(url: str) -> "Page":
                return await web.open_page(url, max_age=0, max_length=WHOLE)

            return await add_pages(store, urls, open_page, on_page=lambda _: advance())

    return anyio.run(run)


def add_site(
    store: "IndexStore", url: str, options: dict[str, Any], *, limit: int, delay: float | None
) -> "UpdateReport":
    """Crawl a site beside the index, then index what was read."""
    import anyio

    from seekread.batch.crawl import Crawl
    from seekread.batch.page_file import pages_in
    from seekread.batch.progress import Progress
    from seekread.batch.reader import Reader
    from seekread.batch.record import page_key
    from seekread.batch.scope import SiteScope
    from seekread.cli.bulk import shown
    from seekread.clock import SystemClock
    from seekread.index.update import take_pages

    scope = SiteScope(completed(url), limit=limit)
    store.path.parent.mkdir(parents=True, exist_ok=True)
    lines = store.path.with_name(f"{store.path.name}.{page_key(scope.start).hex()}.jsonl")

    async def crawl() -> None:
        settings = {**(options.get("settings") or {}), **({} if delay is None else {"bulk_delay": delay})}
        async with Reader(settings=settings, config=options.get("config")) as reader:
            progress = Progress(SystemClock())
            with shown(progress, quiet=False) as show:
                await Crawl(scope, reader, lines, progress).run(show)

    anyio.run(crawl)
    report = take_pages(store, pages_in(lines))
    lines.unlink()
    return report


def is_url(source: str) -> bool:
    """Say whether a source is an address; on the command line everything else is a path."""
    return source.lower().startswith(("http://", "https://"))


def existing(source: str) -> Path:
    """The path, if something is there."""
    path = Path(source).expanduser()
    if not path.exists():
        raise click.BadParameter(f"there is no file or folder {source!r}", param_hint="PATH")
    return path


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on the terminal's standard error; nothing when nobody watches."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("indexing", total=total)
        yield lambda: bar.advance(task)


def summary(report: "UpdateReport") -> str:
    """One line about what was done."""
    counted = {
        "added": report.added,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "skipped": len(report.skipped),
    }
    return ", ".join(f"{number} {word}" for word, number in counted.items() if number) or "nothing to index"


def count(documents: int) -> str:
    """A number of documents in words."""
    return f"{documents} document{'' if documents == 1 else 's'}"
