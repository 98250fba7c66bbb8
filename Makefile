# Everything needs Python 3.11 or newer and make. The environment is made in .venv, and each target
# installs what it needs and what is not there yet: the package, and extras of pyproject.toml.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RESULTS ?= results
SCALE ?= paper
EXPERIMENTS ?= $(filter-out $(MAP),$(sort $(basename $(notdir $(wildcard conf/experiment/*.yaml)))))
MAP := which_global

ifeq ($(SCALE),smoke)
RESULTS := results/smoke
SMALL := horizon=3000 runs=2
endif

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# Python compiles modules when they are first imported; doing so for all of them adds 100 MB and some seconds.
PIP = $(BIN)/python -m pip install --disable-pip-version-check --no-compile -c constraints.txt
PACKAGE := $(VENV)/.installed
AUDIT := $(PACKAGE)-audit
DATA := $(PACKAGE)-data
TEST := $(PACKAGE)-test
LINT := $(PACKAGE)-lint
DOCS := $(PACKAGE)-docs
DEV := $(PACKAGE)-dev
REPORT := $(PACKAGE)-report
RELEASE := $(PACKAGE)-release
MUTANTS := $(PACKAGE)-mutants
EXTRAS := audit cluster data report # the others are dependency groups, which pip knows since 25.1

$(PACKAGE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'pip>=25.1'
	$(PIP) -e .
	@touch $@

$(PACKAGE)-%: $(PACKAGE)
	$(PIP) $(if $(filter $*,$(EXTRAS)),'dpbandits[$*]',--group $*)
	@touch $@

install: $(DEV) ## install everything that any target needs

run: $(PACKAGE) ## run one setting: AdaP-KLUCB on C2 at eps 0.5
	$(BIN)/bandit-run algo=adap_klucb env=bernoulli_c2 eps=0.5

test: $(TEST) ## the fast tests; those of packages that are not installed are skipped
	$(BIN)/pytest -n auto --dist worksteal -m 'not slow and not long'

test-slow: install debian ## what takes up to some seconds, and what make test skips: 25 minutes
	$(BIN)/pytest -n auto --dist worksteal -m '(slow or extra) and not long'

test-long: install debian ## statistics, sweeps, mutants, kills, pages in a browser: an hour
	$(BIN)/pytest -n auto --dist worksteal -m long

versions: ## the lowest versions that pyproject.toml allows and the newest, on each Python: tests and commands
	.ci/versions

debian:
	tests/support/install_slurm.sh
	tests/support/install_chromium.sh

figures: $(PACKAGE) $(DATA) ## run what is missing and draw every figure but the map (SCALE=smoke: in seconds)
	$(BIN)/python experiments/all.py $(EXPERIMENTS) results=$(RESULTS) $(SMALL)
	$(BIN)/python experiments/ren2020_ratios.py $(RESULTS)
	$(BIN)/python experiments/practical_constants.py $(RESULTS)
	$(BIN)/python experiments/shariff2018_page.py $(RESULTS)
	$(BIN)/python experiments/times.py $(RESULTS)

map: $(PACKAGE) ## the map of eps-global DP, 1,890 settings, with runs where they decide
	$(BIN)/python experiments/which_global_map.py results=$(RESULTS) $(SMALL)

claims: $(PACKAGE) $(DATA) ## measure what the papers claim, and what would reproduce it
	$(BIN)/bandit-claims results=$(RESULTS)
	$(BIN)/bandit-claims A1 A2 A3 A4 A5 A6 seed=1 results=$(RESULTS)
	$(BIN)/python experiments/ablations.py results=$(RESULTS)
	$(BIN)/python experiments/azize2025_tails.py results=$(RESULTS)

audit: $(AUDIT) exact ## replay every alignment, measure how much privacy is spent: results/privacy.md
	$(BIN)/bandit-audit results=$(RESULTS)
	$(BIN)/python experiments/privacy_table.py $(RESULTS)

twins: $(AUDIT) ## which tests of privacy notice which broken twins: benchmarks/privacy.md
	$(BIN)/python benchmarks/privacy.py > benchmarks/privacy.new
	mv benchmarks/privacy.new benchmarks/privacy.md

exact: $(AUDIT) ## compute the exact privacy loss of actions, wherever it is known
	$(BIN)/bandit-audit exact=true results=$(RESULTS)

CHECKED ?= build/results
QUICKEST := azize2022_fig3 azize2022_fig7 azize2022_fig8 michel2026 ren2020_fig1d # of results/times.md
results-check: $(if $(QUICK),$(PACKAGE)) ## make all pages of results anew in build/results, and find the first that differs (QUICK=1: five)
ifdef QUICK
	$(BIN)/python experiments/all.py $(QUICKEST) results=$(CHECKED)
else
	$(MAKE) figures map claims audit RESULTS=$(CHECKED)
endif
	$(BIN)/python experiments/check.py $(CHECKED) $(if $(QUICK),$(QUICKEST))

docs: $(DOCS) ## execute the notebooks, build the site in docs/_build/html; links that lead nowhere are errors
	$(BIN)/python docs/builder/notebooks.py
	$(BIN)/sphinx-build -W --keep-going -n -q -c docs -d docs/_build/doctrees . docs/_build/html

report: $(REPORT) ## write report.html: everything in the results folder on one page
	$(BIN)/bandit-report results=$(RESULTS)

bench: $(REPORT) ## speed and memory, as ratios to the random numbers alone; compiling; docs/scale.md
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/compile.py > benchmarks/compile.md
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/oracles.py > benchmarks/oracles.md
	$(BIN)/python benchmarks/plan.py
	$(BIN)/python benchmarks/settings.py
	$(BIN)/python benchmarks/memory.py

reliability: $(TEST) ## kill, damage and misuse the commands, and count what is lost
	$(BIN)/python benchmarks/reliability.py > benchmarks/reliability.new
	mv benchmarks/reliability.new benchmarks/reliability.md

mutants: $(TEST) $(MUTANTS) ## which small faults in the source the tests detect: benchmarks/mutants.md
	$(BIN)/python benchmarks/mutants.py > benchmarks/mutants.new
	mv benchmarks/mutants.new benchmarks/mutants.md

bench-check: $(PACKAGE) ## measure the ratios again: within their limits, and about the committed ones
	$(BIN)/python benchmarks/bench.py --check

package: $(RELEASE) ## build the sdist and the wheel, and check them: dist/
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/pyroma --min 10 --skip-tests AuthorEmail,Url . # there is none yet

release-check: $(TEST) $(LINT) $(RELEASE) ## all that a release needs, but publishing: up to 15 minutes
	VENV=$(VENV) .ci/release-check

release: ready package ## build what is published, or refuse; the variable TAG, v1.2.3, is the tag

ready: $(PACKAGE)
	$(BIN)/python .ci/release.py check $${TAG:+"$$TAG"}

SCHEMA := $(BIN)/check-jsonschema --builtin-schema
FORMS := .github/ISSUE_TEMPLATE

lint: $(LINT) ## style, types, layers, workflows, and files that other services read
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(SCHEMA) vendor.github-workflows .github/workflows/*.yml
	$(SCHEMA) custom.github-workflows-require-timeout .github/workflows/*.yml
	$(SCHEMA) vendor.github-issue-forms $(filter-out $(FORMS)/config.yml,$(wildcard $(FORMS)/*.yml))
	$(SCHEMA) vendor.github-issue-config $(FORMS)/config.yml
	$(SCHEMA) vendor.dependabot .github/dependabot.yml
	$(SCHEMA) vendor.readthedocs .readthedocs.yaml
	$(SCHEMA) vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline --quiet .github

clean: ## remove what was built; results are kept
	rm -rf $(VENV) build dist docs/_build docs/generated .pytest_cache .mypy_cache .ruff_cache

.PHONY: help install run test test-slow test-long versions debian figures map claims audit twins exact results-check docs report bench reliability bench-check package release-check release ready lint clean
.NOTPARALLEL: # two pips would change one environment
.DEFAULT_GOAL := help
