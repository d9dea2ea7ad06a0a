# Two commands on a fresh machine do everything: `make run` and `make test`.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
# One more than cores: each waits for its database now and then. Of many cores, six.
TEST_PROCESSES ?= $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores < 5 ? cores + 1 : 6)))
# Tests with real processes often wait for them. The longest files begin first: see tests/conftest.py.
MACHINE_PROCESSES ?= 3
ONE_BY_ONE := -n $(MACHINE_PROCESSES) --dist loadfile --no-loadscope-reorder
WHICH ?= machine
# How many processes only compute beside the tests that must not depend on time.
BUSY ?= 2
# The long tests take turns (tests/long_tests.py): a commit has one of twelve parts of them, here and in CI. LONG=all: all.
LONG ?= $(shell echo $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) % 12 + 1)))/12
# What bots are built and run with, besides Python and the project's own Node (backend/submissions/languages).
CRATES := $(foreach crate,aho-corasick chrono itertools libc memchr rand regex time,librust-$(crate)-dev)
TOOLCHAINS := gcc g++ default-jdk-headless rustc-web cargo-web $(CRATES) golang-go esbuild mono-mcs mono-runtime ruby php-cli \
  lua5.4 perl ghc ocaml-nox ldc fp-compiler python3-numpy
# A root of their own for sandboxes; FROM=LIST repeats what is in another one.
DIR ?= .toolchains
FROM ?=
UV := .venv/bin/uv
RUN := .venv/bin
PYTEST ?= $(RUN)/python -m pytest

# Tests start many short processes; without bytecode each of them would compile the same libraries anew, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-test run test test-all long-part test-machine test-busy test-user test-fast lint types contracts frontend-check openapi clean attack-web big toolchains kotlin bench-web-pages contest chaos mutants screenshots tag

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: .venv/.installed ## Install everything into .venv (and bubblewrap, where that is allowed); start nothing
	@bash scripts/system_packages.sh bubblewrap
	@bash scripts/system_packages.sh --optional g++
	@$(RUN)/python frontend/build.py

.venv/.installed: pyproject.toml uv.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Hexarena needs Python 3.11 or newer; this is " + sys.version)'
	@bash scripts/system_packages.sh python3-venv
	@echo "Installing Python packages into .venv …"
	@test -x $(UV) || { $(PYTHON) -m venv .venv && $(RUN)/python -m pip install --quiet --disable-pip-version-check uv; }
	@$(UV) sync --quiet --locked --all-extras --inexact
	@touch $@

setup-test: setup ## Install what the tests need besides: a browser, and every language that bots are written in
	@bash scripts/system_packages.sh chromium
	@bash scripts/system_packages.sh --optional $(TOOLCHAINS)
	@bash scripts/kotlin.sh
	@bash scripts/caddy.sh

kotlin: .venv/.installed ## Install Kotlin's compiler into /usr/local, where sandboxes find it
	@bash scripts/kotlin.sh

toolchains: .venv/.installed ## Install the languages into DIR, a root that sandboxes use if HEXARENA_TOOLCHAINS=DIR (some minutes)
	@bash scripts/system_packages.sh mmdebstrap
	@$(RUN)/python -m scripts.toolchains $(DIR) python3 $(TOOLCHAINS) $(if $(FROM),--from $(FROM))

run: setup ## Start the arena at http://127.0.0.1:8000 (HEXARENA_PORT sets another port)
	@$(RUN)/hexarena up

test: setup-test ## Run the tests, the long ones in turns, on servers of their own (or those of DATABASE_URL and REDIS_URL)
	@$(PYTEST) -n $(TEST_PROCESSES) --dist worksteal -m "not machine" --long $(LONG)
	@$(MAKE) --no-print-directory test-machine
	@$(RUN)/python frontend/build.py --test

test-all: ## Run all tests, the long ones too: half an hour or more
	@$(MAKE) --no-print-directory test LONG=all

long-part: # Says which part of the long tests this commit has, for copies without a history.
	@echo $(LONG)

test-machine: setup-test ## Run only the tests with real processes, which kill, freeze and wait
	@$(PYTEST) $(ONE_BY_ONE) -m "$(WHICH)" --long $(LONG)

# But for the browser's: to a page it is all the same who serves it, and its ladder takes all the time that it gets.
test-busy: setup-test ## Run these but for the browser's beside two busy processes (BUSY=0: none): none may depend on time
	@bash scripts/beside_busy_processes.sh $(BUSY) \
	  $(PYTEST) $(ONE_BY_ONE) -m "machine and not e2e" --long $(LONG)

test-user: setup-test ## Run these beside two busy processes as an ordinary user; root makes one, with a copy
	@bash scripts/as_ordinary_user.sh $(MAKE) --no-print-directory test-busy LONG=$(LONG) BUSY=$(BUSY)

test-fast: setup ## Run the tests that need neither a browser nor a sandbox
	@$(PYTEST) -m "not e2e and not sandbox" --long $(LONG)

lint: setup types contracts frontend-check ## Run every check that is no test
	@$(RUN)/ruff check
	@$(RUN)/ruff format --check
	@$(RUN)/hadolint Dockerfile
	@$(RUN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml docker/compose.*.yml
	@$(RUN)/python scripts/seccomp_profile.py --check

types: .venv/.installed
	@$(RUN)/mypy

contracts: .venv/.installed
	@$(RUN)/lint-imports

frontend-check: setup
	@$(RUN)/python frontend/build.py --check

attack-web: setup ## Attack an arena's web server on loopback, and print what holds (some minutes)
	@$(RUN)/python -m hexarena.bench.attack_web $(ONLY)

big: setup ## Fill an arena with a million matches and measure its pages (some minutes; FOLDER=.big keeps the arena)
	@$(RUN)/hexarena bench web $(if $(FOLDER),--folder $(FOLDER))

bench-web-pages: setup-test ## Measure what pages weigh and how soon they show a frame (URL=… of an arena; BEFORE=file to compare)
	@$(RUN)/python scripts/page_speeds.py $(URL) $(if $(BEFORE),--before $(BEFORE)) $(if $(JSON),--json $(JSON))

contest: setup ## Hold a contest of 64 entrants, killing workers, and check its published file (about 45 minutes; ENTRANTS=16 OPEN=5)
	@$(RUN)/python scripts/contest.py $(if $(ENTRANTS),--entrants $(ENTRANTS)) $(if $(OPEN),--open $(OPEN))

chaos: setup-test ## Kill, stop, empty, fill and cut off all of an arena during 1,000 matches, and check all that must hold (MATCHES=200 MINUTES=3 SEED=7)
	@$(RUN)/python -m scripts.chaos $(if $(MATCHES),--matches $(MATCHES)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED))

screenshots: setup-test ## Take the pictures of README and docs from an arena of their own (URL=… of another one)
	@$(RUN)/python scripts/screenshots.py $(URL)

mutants: .venv/.installed ## Change the pure modules in small ways and count those that no test notices (ONLY=rating SAMPLE=80)
	@$(UV) sync --quiet --locked --all-extras --inexact --group mutants
	@$(RUN)/python scripts/mutants.py $(ONLY) $(if $(SAMPLE),--sample $(SAMPLE))

openapi: .venv/.installed ## Write frontend/openapi.json and the frontend's types anew
	@$(RUN)/hexarena openapi > frontend/openapi.json
	@$(RUN)/python frontend/build.py --types

tag: ## Tag the commit that gave this version its section in CHANGELOG.md
	@bash scripts/tag_release.sh

clean: ## Remove what was installed and built; the arena's data stays
	@rm -rf .venv .mutants frontend/node_modules frontend/dist
