# Two commands do everything on a machine with only Python and make: `make demo` and `make test`.
# They use the C++ compiler that is there, else the one in the PyPI package ziglang: docs/building.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# Where a change means compiling. Folders are in the list for files that were added or removed.
CORE := CMakeLists.txt $(wildcard src/core src/core/* src/core/*/* build_backend/*.cmake)

.PHONY: demo test test-all quick coverage bench docs fuzz lint types man architecture dist sanitize study-pages clean

# The stamps make a second run quick. What a build needs stays in the environment, so that it compiles only what changed.
$(VENV)/tools: pyproject.toml $(wildcard build_backend/*.py)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python build_backend/install_requirements.py
	touch $@

$(VENV)/installed: $(VENV)/tools $(CORE)
	$(PIP) --no-build-isolation --editable .
	touch $@

# After the installation, but not again for each change of the core.
$(VENV)/installed-test: pyproject.toml | $(VENV)/installed
	$(PIP) --no-build-isolation --editable ".[test]"
	touch $@

demo: $(VENV)/installed
	@$(BIN)/stablebn demo

lint: $(VENV)/installed-test
	$(BIN)/ruff check src tests fuzz bench build_backend examples docs/generate.py
	$(BIN)/ruff format --check src tests fuzz bench build_backend examples docs/generate.py

types: $(VENV)/installed-test
	$(BIN)/mypy

test: lint types
	$(BIN)/pytest -n auto -m "not slow"

test-all: lint types
	$(BIN)/pytest -n auto

# While you work: lint, types, and the tests of the folders that differ from the last commit, with a few fast ones.
quick: lint types
	$(BIN)/pytest -q -n auto -m "not slow" $$($(BIN)/python tests/changed.py)

# COVERED_TESTS: the tests that count, by default all.
# Coverage of Python and of the C++ core, by the tests that are not slow. The core is built a second time, with counters.
COVERED := build/coverage
coverage: $(VENV)/installed-test
	$(PIP) coverage gcovr
	$(PIP) --no-build-isolation --no-deps --upgrade --target $(COVERED)/site --config-settings build-dir=$(COVERED)/module \
	    --config-settings cmake.define.COVERAGE=ON --config-settings cmake.build-type=Debug --config-settings install.strip=false .
	$(BIN)/python -m venv --without-pip $(COVERED)/venv
	export PYTHONPATH="$(CURDIR)/$(COVERED)/site:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"; \
	$(COVERED)/venv/bin/python -m coverage run --data-file=$(COVERED)/python --source=$(COVERED)/site/stablebn \
	    -m pytest -q -m "not slow" $(COVERED_TESTS)
	@echo "Python: $$($(BIN)/coverage report --data-file=$(COVERED)/python --format=total) % of lines"
	$(BIN)/gcovr --root src/core --object-directory $(COVERED)/module --print-summary --txt $(COVERED)/core.txt

$(VENV)/installed-bench: pyproject.toml | $(VENV)/installed
	$(PIP) --no-build-isolation --editable ".[bench]"
	touch $@

# NETWORKS names a folder with the networks that pgmpy does not bring; OPTIONS are those of bench/run.py, say --quick.
bench: $(VENV)/installed-bench
	$(BIN)/python bench/run.py $(if $(NETWORKS),--networks $(NETWORKS)) $(OPTIONS)

$(VENV)/installed-docs: pyproject.toml | $(VENV)/installed
	$(PIP) --no-build-isolation --editable ".[docs]"
	touch $@

# The pages of docs/ as a site, in build/site; a warning is an error. The variable silences an advertisement.
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# All tables and figures of the paper's study in build/study, from the outcomes in docs/; nothing is run. PUBLISHED names
# a JSON file of the paper's numbers, to stand beside ours.
study-pages: $(VENV)/installed-test
	$(BIN)/stablebn study docs/study-outcomes.json.gz --tables --figures --out build/study $(if $(PUBLISHED),--published $(PUBLISHED))

# Random tables in random layouts, compared with ==: docs/fuzzing.md. OPTIONS are those of `python -m fuzz`.
SECONDS ?= 60
fuzz: $(VENV)/installed-test
	$(BIN)/python -m fuzz --seconds $(SECONDS) $(OPTIONS)

# The tree in docs/architecture.md: after a folder has changed.
architecture: $(VENV)/installed
	$(BIN)/python build_backend/architecture.py

# man/stablebn.1 from the commands: after one of them or an option has changed.
man: $(VENV)/installed
	$(BIN)/python build_backend/man_page.py

# A source distribution and wheels in dist/, each wheel tried in a clean environment without a compiler.
# PYTHONS: the interpreters to build and try for, say "python3.10 python3.11 python3.12 python3.13".
PYTHONS ?= $(PYTHON)
dist:
	$(PYTHON) build_backend/dist.py $(PYTHONS)

# The kernel tests under the sanitizers of g++ or clang (CXX): the module with Python, then native_tests without it.
# An environment of its own with the other one's packages: the editable installation must not get in the way.
SANITIZED := build/sanitize
MODULE_OPTIONS := build-dir=$(SANITIZED)/module cmake.define.SANITIZE=address,undefined \
                  cmake.build-type=RelWithDebInfo install.strip=false
CMAKE := MAKEFLAGS=--no-print-directory PATH="$(CURDIR)/$(BIN):$$PATH" cmake
sanitize: $(VENV)/installed-test
	$(PIP) --no-build-isolation --no-deps --upgrade --target $(SANITIZED)/site $(MODULE_OPTIONS:%=--config-settings %) .
	$(BIN)/python -m venv --without-pip $(SANITIZED)/venv
	export PYTHONPATH="$(CURDIR)/$(SANITIZED)/site:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	    LD_PRELOAD="$$(cat $(SANITIZED)/module/preload)" PYTHONMALLOC=malloc \
	    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1; \
	$(SANITIZED)/venv/bin/python -c 'from stablebn import _core; assert "$(SANITIZED)/site" in _core.__file__, _core.__file__' && \
	$(SANITIZED)/venv/bin/python -m pytest -m "not slow" tests/unit/core tests/unit/ci_tests
	for kind in address,undefined thread; do \
	    $(CMAKE) -S . -B $(SANITIZED)/$$kind -DSANITIZE=$$kind -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEXTENSION=OFF -DNATIVE_TESTS=ON && \
	    $(CMAKE) --build $(SANITIZED)/$$kind --target native_tests && \
	    $(SANITIZED)/$$kind/native_tests || exit 1; \
	done

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
