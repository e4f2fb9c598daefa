"""
An agent framework, driven by its own package with a model that follows a script.

Run in the framework's environment as `python -m tests.support.frameworks NAME`, with the script on stdin: a list of
`[tool, arguments]`. Prints one JSON document: the version of the framework, the tools the model was offered where the
framework shows them, and what it was told after each call.
"""

import json
import sys
from importlib import import_module
from importlib.metadata import version


def main() -> None:
    module = import_module(f"tests.support.frameworks.{sys.argv[1]}")
    calls = [(tool, arguments) for tool, arguments in json.load(sys.stdin)]
    told = module.drive(calls)
    print(json.dumps({"version": version(module.PACKAGE), "told": told}))  # noqa: T201 - the report


if __name__ == "__main__":
    main()
