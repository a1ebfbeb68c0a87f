# Two commands do everything on a machine with only Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all bench lint types clean

# The stamps make a second run quick: pip runs again only when pyproject.toml has changed.
$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

demo: $(VENV)/installed
	@$(BIN)/stablebn demo

lint: $(VENV)/installed-test
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench

types: $(VENV)/installed-test
	$(BIN)/mypy

test: lint types
	$(BIN)/pytest -n auto -m "not slow"

test-all: lint types
	$(BIN)/pytest -n auto

$(VENV)/installed-bench: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[bench]"
	touch $@

# NETWORKS names a folder with the networks that pgmpy does not bring; OPTIONS are those of bench/run.py, say --quick.
bench: $(VENV)/installed-bench
	$(BIN)/python bench/run.py $(if $(NETWORKS),--networks $(NETWORKS)) $(OPTIONS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
