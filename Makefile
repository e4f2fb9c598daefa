# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Both set themselves up; only Python >= 3.11 and make have to be there.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
ARGS ?=

.PHONY: help setup demo unit test clients pythons lowest beside check format lint types docs site serve bench mutants claims lock parts clean

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: .venv/.dev ## a virtual environment with everything, locked

demo: .venv/.core ## search, fail over, read and cite: offline, without keys
	@$(BIN)/python examples/demo.py

unit: .venv/.dev ## run the tests that start no process and need no system part
	$(BIN)/python -m pytest -m "not process" $(ARGS)

test: .venv/.dev parts ## run all tests, side by side
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

clients: .venv/.dev ## install other people's agent frameworks, one at a time (about 2 GB), and drive each
	$(BIN)/python -m pytest -m clients tests/e2e/test_agent_frameworks.py $(ARGS)

pythons: .venv/.dev ## run the quick tests on every version of Python we claim, each in its own environment
	$(BIN)/python tools/surroundings.py pythons $(if $(ARGS),-- $(ARGS))

lowest: .venv/.dev ## run the quick tests with the lowest versions of everything we need
	$(BIN)/python tools/surroundings.py lowest $(if $(ARGS),-- $(ARGS))

beside: .venv/.dev ## ask the resolver whether we fit beside litellm[proxy], Open WebUI and CrewAI; installs nothing
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python tools/beside.py

check: .venv/.dev lint types docs site test ## what CI runs: format, lint, types, docs, site, tests

format: .venv/.dev ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/vulture --config tools/vulture.toml

types: .venv/.dev
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/typing

docs: .venv/.dev ## check that generated parts of the docs are up to date
	$(BIN)/python tools/generate_docs.py --check

site: .venv/.dev ## the documentation as a site, in build/site
	$(BIN)/python -m tools.site

serve: .venv/.dev ## the service and its console against simulators, no keys needed
	$(BIN)/python examples/serve.py

bench: .venv/.dev ## run every benchmark that needs no data of its own; fails when a promise is missed
	$(BIN)/python benchmarks/run.py $(ARGS)

mutants: .venv/.dev ## break the code on purpose and see that tests notice: a benchmark of the tests, in minutes
	$(BIN)/python tools/mutants.py $(ARGS)

claims: .venv/.dev ## list what the security pages say and the tests of each sentence; words choose, --run runs
	@$(BIN)/python tools/claims.py $(ARGS)

lock: .venv/.dev ## renew the hash-pinned, host-free lock files
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --upgrade pyproject.toml -o requirements/core.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --upgrade --extra dev pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header -c requirements/dev.txt --extra mcp --extra server --extra redis --extra pdf --extra robots --extra socks --extra otel --extra oauth pyproject.toml -o requirements/service.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --upgrade --extra crawl4ai pyproject.toml -o requirements/crawl4ai.txt
	$(BIN)/uv pip compile -q --python-platform linux --generate-hashes --no-emit-index-url --no-header --upgrade --extra tests --python-version 3.11 --resolution lowest-direct pyproject.toml -o requirements/lowest.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --upgrade --extra ray pyproject.toml -o requirements/ray.txt
	for lock in requirements/frameworks/*.in; do $(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --upgrade pyproject.toml $$lock -o $${lock%.in}.txt; done
	for lock in requirements/*.in requirements/vendors/*.in; do $(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --upgrade $$lock -o $${lock%.in}.txt; done

parts: .venv/.dev ## system parts some tests use (Redis, Chromium) and environments for other people's clients
	@sh tools/system-parts.sh
	@$(BIN)/python -m tests.support.environments || echo "tests that need these environments will say so" >&2

clean: ## remove what setup made
	rm -rf .venv .venvs .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "seekread needs Python 3.11 or newer" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.core: .venv/bin/python requirements/core.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/core.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.venv/.dev: .venv/bin/python requirements/dev.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@ .venv/.core
