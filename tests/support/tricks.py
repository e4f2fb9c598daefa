"""The tricks of the benchmark that hide words from people, and which of them the static reader cannot see."""

from benchmarks.hidden import DATA, cases

TRICKS = cases(DATA / "tricks.toml")
LEAKS = {
    "colours: by a script",
    "colours: by a sheet that a script makes",
}
"""What the static reader cannot see; `docs/security.md` names them."""
NOT_HIDDEN = {
    "colours: gradient of one colour",
}
"""What a browser shows all the same."""
HIDING = [case for case in TRICKS if case.name not in LEAKS | NOT_HIDDEN]
"""Those whose words nobody may be told."""
