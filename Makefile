# make demo   three designs for the shipped trace, and which one to buy; writes demo/cost.html and demo/designs.html
# make test   all tests
# make test-fast  most of them, in under two minutes
# make wheel  the abi3 wheel for this platform, in dist/
# make bench  requests per CPU second, decoding in MB/s, the estimator's error, what searches take and find,
#             how often intervals of a comparison are right, the server under load, placement on 1,000 nodes, what became slower than
#             benches/history.toml has it
# make check  formatters, linters, types, layers
# make audit  known vulnerabilities and licences of the dependencies (network, cargo-deny)
# make docs   the documentation, warnings are errors
# make fuzz   every parser's fuzz target for FUZZ_SECONDS each (needs a C++ compiler)
#
# Needs Python 3.11+, a Rust toolchain and a C compiler; everything else is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
FUZZ_SECONDS ?= 120
FUZZ := crates/iowatt-trace/fuzz
FUZZ_TARGETS = $(shell sed -n '/^\[\[bin\]\]/{n;s/name = "\(.*\)"/\1/p}' $(FUZZ)/Cargo.toml)
# What libFuzzer needs of the compiler; stable Rust has all of it.
FUZZ_FLAGS := --cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares
# A worker for each processor and one more, since many tests wait: for fio, meters, nodes. The tests of a file stay
# together, because they share its servers and runs; the longest files come first (tests/slow.txt).
PYTEST ?= --numprocesses=$(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist=loadfile --no-loadscope-reorder
RUST := $(shell find crates -name '*.rs' -not -path '*/fuzz/*') $(wildcard crates/*/Cargo.toml) Cargo.toml Cargo.lock

export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1
# Where a shell forbids it, each of a thousand commands of the tests would compile the package again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-fast wheel bench check check-rust check-python audit docs fuzz build clean
.DELETE_ON_ERROR:

demo: build
	$(BIN)/iowatt run examples/oltp-raid5.toml -o $(DEMO)/raid5 --force
	$(BIN)/iowatt run examples/oltp-raid5.toml --set array.pool.disks.raid.level=10 --set array.pool.disks.count=12 -o $(DEMO)/raid10 --force
	$(BIN)/iowatt run examples/oltp-ssd-cache.toml -o $(DEMO)/ssd-cache --force
	$(BIN)/iowatt compare $(DEMO)/raid5 $(DEMO)/raid10 $(DEMO)/ssd-cache -o $(DEMO)/designs.html --force
	$(BIN)/iowatt cost $(DEMO)/raid5 $(DEMO)/raid10 $(DEMO)/ssd-cache --within 20ms --of p95 -o $(DEMO)/cost.html --force

test: build $(VENV)/.stamp-test
	cargo test --locked --workspace --exclude iowatt-py
	$(BIN)/python -m pytest $(PYTEST)

# Without the tests marked slow: those of tests/slow.txt, and the browser's.
test-fast: build $(VENV)/.stamp-test
	$(BIN)/python -m pytest $(PYTEST) -m "not slow"

# The wheel for this platform, in dist/.
wheel: build
	$(BIN)/maturin build --release --locked --strip --out dist

bench: build $(VENV)/.stamp-test
	$(BIN)/python benches/optimize.py
	IOWATT_WHOLE_SPACES=1 $(BIN)/python -m pytest -q tests/choose/test_choose_spaces.py
	$(BIN)/python benches/compare.py --trials 200
	$(BIN)/python benches/serve.py
	cargo bench --locked -p iowatt-sim --bench engine
	cargo test --release --locked -p iowatt-sim --lib cluster -- --ignored
	$(BIN)/python benches/bench.py

check: check-rust check-python

check-rust: build
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

check-python: build $(VENV)/.stamp-lint $(VENV)/.stamp-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Python: the advisories of the index that pip uses; Rust: cargo-deny, where it is installed.
audit: $(VENV)/.stamp-audit
	$(BIN)/pip-audit --disable-pip --no-deps -r requirements/run.txt
	cargo deny check

docs: build $(VENV)/.stamp-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

# --target keeps the flags away from build scripts. The first target that fails ends it; what failed lies in artifacts/.
fuzz:
	cd $(FUZZ) && mkdir -p artifacts $(addprefix corpus/,$(FUZZ_TARGETS)) && host=$$(rustc -vV | sed -n 's/^host: //p') && \
	RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --release --locked --target $$host && \
	printf '%s\n' $(FUZZ_TARGETS) | xargs -P $$(nproc) -I{} sh -c 'target/$$1/release/{} -max_total_time=$(FUZZ_SECONDS) \
		-artifact_prefix=artifacts/{}- corpus/{} >artifacts/{}.log 2>&1 && tail -n 1 artifacts/{}.log | sed "s/^/{}: /" || \
		{ tail -n 40 artifacts/{}.log >&2; exit 255; }' sh $$host

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
