"""Every benchmark that `run.py` knows: what it measures, for people, and its options at both sizes."""

from dataclasses import dataclass

PEERS = ".venvs/peers/bin/python"
"""The interpreter that has the extractors of others."""


@dataclass(frozen=True)
class Benchmark:
    """
    One benchmark.

    about: what is measured, beside whom, in sentences of the page
    small, full: its options at both sizes
    data: the folder below that of `--data` which it needs
    needs_peers: whether the extractors of others have to be installed before
    """

    title: str
    about: str
    module: str
    small: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    data: str = ""
    needs_peers: bool = False

    def command(self, *, full: bool, folder: str = "") -> list[str]:
        """What Python is asked to run."""
        place = [f"{folder}/{self.data}".rstrip("/.")] if self.data else []
        return ["-m", f"benchmarks.{self.module}", *place, *(self.full if full else self.small)]


BENCHMARKS = {
    "overhead": Benchmark(
        "One call",
        "CPU of one search beside the bare HTTP client and the clients of others, and of an answer that is kept, in "
        "each store. All ask the same server on loopback.",
        "overhead",
        full=("--full",),
    ),
    "cold_start": Benchmark(
        "A cold start",
        "CPU of a process from its start to its help, its first search and its first page, beside scripts that do as "
        "much with httpx2 and trafilatura.",
        "cold_start",
        full=("--full",),
    ),
    "senders": Benchmark(
        "The HTTP client",
        "CPU of one request to a service in our client, beside httpx2 and aiohttp.",
        "senders",
        full=("--full",),
    ),
    "store": Benchmark("The stores", "Microseconds of values, counters and locks in each kind of store.", "store"),
    "cached_service": Benchmark(
        "A kept answer over HTTP",
        "CPU of the service for an answer it has kept, beside a bare Starlette application that sends the same JSON.",
        "cached_service",
        full=("--full",),
    ),
    "service": Benchmark(
        "The service under load",
        "Hundreds of clients at once: ordinary ones, slow ones, ones that leave, and agents, beside a bare Starlette "
        "application under the same clients.",
        "service_load",
        small=("--scale", "0.2"),
    ),
    "scale": Benchmark(
        "What one machine and one Redis carry",
        "CPU of the service, and what Redis is asked, for searches and pages, anew and kept, and what follows for 1, "
        "10 and 1,000 machines: [what a machine carries](scale.md).",
        "scale",
        small=("--calls", "100"),
    ),
    "mcp_start": Benchmark(
        "The start of the MCP server",
        "CPU from the start of the process to the list of tools, beside the least server that can be written with the "
        "SDK, and mcp-server-fetch.",
        "mcp_start",
        small=("--rounds", "7"),
    ),
    "install_size": Benchmark(
        "The size of an installation",
        "Packages and megabytes after `pip install seekread`, beside packages that search or read.",
        "install_size",
    ),
    "faults": Benchmark(
        "Failing providers",
        "What becomes of searches while providers fail, hang and lie, many ask at once, the store hangs, is locked or "
        "full, and processes die or share a plan.",
        "faults",
        small=("--scale", "0.1"),
    ),
    "ring": Benchmark(
        "Searches without a key",
        "Searches that are answered while three of six keyless engines are down, over every six of the eight and every "
        "three of those.",
        "ring",
        full=("--searches", "8"),
    ),
    "money": Benchmark(
        "The bill",
        "What the ledger books beside what simulated services charge, in mixed calls of two processes, with calls that "
        "are cancelled and processes that are killed.",
        "money",
        small=("--calls", "600"),
    ),
    "batch": Benchmark(
        "Reading in bulk",
        "A list of pages read in bulk, killed in between, and a site of traps crawled.",
        "batch",
        small=("--pages", "300", "--kills", "3", "--site", "60"),
    ),
    "ray": Benchmark(
        "Reading in bulk on a cluster",
        "The same list read by one process and by a Ray cluster of two nodes: pages in a CPU second of whoever reads.",
        "ray_cluster",
        small=("--pages", "600"),
    ),
    "hostile": Benchmark(
        "Hostile pages", "What pages that are made to do harm do to the process that reads them.", "hostile"
    ),
    "hidden": Benchmark(
        "Hidden text",
        "Tricks that hide text from eyes and still reach a model, and text that is seen and lost, beside other "
        "extractors. The truth is a screenshot.",
        "hidden",
        needs_peers=True,
    ),
    "hidden_pdf": Benchmark(
        "Hidden text in PDFs", "The same for PDFs, with pictures of the pages as the truth.", "hidden_pdf"
    ),
    "speech": Benchmark(
        "Words that become markup",
        "Documents of every kind that make an image, a raw tag or a link to elsewhere out of their words.",
        "speech",
        small=("--documents", "1500"),
    ),
    "structure": Benchmark(
        "The structure of pages",
        "Which kinds of structure survive as Markdown, beside other extractors. The pages are ours.",
        "structure",
        small=("--peers", PEERS),
        full=("--peers", PEERS),
        needs_peers=True,
    ),
    "office": Benchmark(
        "Office files, books and mails",
        "What of their structure arrives in the Markdown, and hidden text that does.",
        "office",
        small=("--documents", "10"),
    ),
    "extraction": Benchmark(
        "The content of pages",
        "How much of the main content of real pages is found, and at what CPU, beside other extractors.",
        "extraction",
        small=("--every", "20"),
        data="extraction",
        needs_peers=True,
    ),
    "opening": Benchmark(
        "A page from its address to its Markdown",
        "CPU of `open_page`, with the guard and the worker process, beside a script with urllib3 and trafilatura.",
        "opening",
        small=("--every", "20"),
        data="extraction",
        needs_peers=True,
    ),
    "metadata": Benchmark(
        "Titles, authors and dates",
        "Those that are found, beside trafilatura, on pages that label themselves.",
        "metadata",
        small=("--every", "12"),
        data="extraction",
        needs_peers=True,
    ),
    "passages": Benchmark(
        "Passages of a page", "How often a budget of a page holds the answer, beside its head and BM25.", "passages",
        data="qa",
    ),
    "evidence": Benchmark(
        "Evidence for a question",
        "What answers a question within a budget, beside the head of the page, plain BM25 and, where they do the same "
        "work, the spans of web-search-plus (WSP).",
        "evidence",
        data=".",
    ),
    "quotes": Benchmark(
        "Quotations", "Wrong quotations that are turned away and right ones that are found.", "quotes",
        small=("--count", "1000"), data="qa",
    ),
    "outgoing": Benchmark(
        "Keys on their way out",
        "Spellings of a key that are refused in queries and addresses, and real addresses that are refused by mistake.",
        "outgoing",
        data="extraction",
    ),
}  # fmt: skip
"""By the name that is typed; `faults` contains `pace` and `kill9`."""
