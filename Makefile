# Everything needs Python 3.11 or newer and make; the environment is made in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RESULTS ?= results
SCALE ?= paper
EXPERIMENTS ?=

ifeq ($(SCALE),smoke)
RESULTS := results/smoke
SMALL := horizon=3000 runs=2
endif

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

install: $(VENV)/.installed ## make the environment

run: install ## run one setting: AdaP-KLUCB on C2 at eps 0.5
	$(BIN)/bandit-run algo=adap_klucb env=bernoulli_c2 eps=0.5

test: install ## the fast tests
	$(BIN)/pytest -n auto --dist worksteal -m 'not slow'

test-slow: install ## the slow tests: statistics, whole sweeps, the wheel
	$(BIN)/pytest -n auto --dist load -m slow

figures: install ## run what is missing and draw every figure (SCALE=smoke: in seconds)
	$(BIN)/python experiments/all.py $(EXPERIMENTS) results=$(RESULTS) $(SMALL)
	$(BIN)/python experiments/ren2020_ratios.py $(RESULTS)
	$(BIN)/python experiments/practical_constants.py $(RESULTS)
	$(BIN)/python experiments/times.py $(RESULTS)

claims: install ## measure what the papers claim, and what would reproduce it
	$(BIN)/bandit-claims results=$(RESULTS)
	$(BIN)/python experiments/ablations.py results=$(RESULTS)

audit: install ## measure how much privacy every algorithm spends at least
	$(BIN)/bandit-audit results=$(RESULTS)

bench: install ## speed and memory, as ratios to the random numbers alone; the plan of docs/scale.md
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/plan.py

bench-check: install ## measure the ratios again: within their limits, and about the committed ones
	$(BIN)/python benchmarks/bench.py --check

lint: install ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

clean: ## remove what was built; results are kept
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

.PHONY: help install run test test-slow figures claims audit bench bench-check lint clean
.DEFAULT_GOAL := help
