# make demo   the main job on the shipped trace; prints the path of a report to open
# make test   all tests
# make bench  requests per CPU second, decoding in MB/s, the estimator's error, what searches take and find,
#             how often intervals of a comparison are right
# make check  formatters, linters, types
# make docs   the documentation, warnings are errors
# make fuzz   every parser's fuzz target for FUZZ_SECONDS each (needs nightly Rust and cargo-fuzz)
#
# Needs Python 3.11+, a Rust toolchain and a C compiler; everything else is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo/tpcc-raid5
FUZZ_SECONDS ?= 120
# A worker for each processor; the tests of a file stay together, because they share its servers and runs.
PYTEST ?= --numprocesses=auto --dist=loadfile
RUST := $(shell find crates -name '*.rs' -not -path '*/fuzz/*') $(wildcard crates/*/Cargo.toml) Cargo.toml Cargo.lock

export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

.PHONY: demo test bench check docs fuzz build clean
.DELETE_ON_ERROR:

demo: build
	$(BIN)/iowatt run examples/tpcc-raid5.toml -o $(DEMO) --force
	@$(BIN)/iowatt report $(DEMO) --force

test: build $(VENV)/.stamp-test
	cargo test --locked --workspace --exclude iowatt-py
	$(BIN)/python -m pytest $(PYTEST)

bench: build
	$(BIN)/python benches/bench.py
	$(BIN)/python benches/optimize.py
	$(BIN)/python benches/compare.py --trials 200
	cargo bench --locked -p iowatt-sim --bench engine

check: build $(VENV)/.stamp-lint $(VENV)/.stamp-test
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: build $(VENV)/.stamp-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

fuzz:
	cd crates/iowatt-trace/fuzz && for t in $$(cargo +nightly fuzz list); do \
		cargo +nightly fuzz run $$t -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done

build: $(VENV)/.stamp-build

# The extension module is built in release mode: a debug simulator is of no use to anyone.
$(VENV)/.stamp-build: $(VENV)/.stamp-run $(RUST) pyproject.toml
	@command -v cargo >/dev/null || { echo "iowatt needs a Rust toolchain (cargo is not on PATH): see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "iowatt needs a C compiler (cc is not on PATH): on Debian, apt-get install gcc libc6-dev" >&2; exit 1; }
	$(BIN)/maturin develop --release --locked --quiet
	@touch $@

$(VENV)/.stamp-run: requirements/run.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "iowatt needs Python 3.11 or newer; name one with make PYTHON=..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements/run.txt -r requirements/build.txt
	@touch $@

$(VENV)/.stamp-%: requirements/%.txt $(VENV)/.stamp-run
	$(BIN)/python -m pip install --quiet -r $<
	@touch $@

clean:
	rm -rf $(VENV) target demo docs/_build
