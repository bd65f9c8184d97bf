# What a person needs: Python 3.11 or later, Rust (the version in Cargo.toml or later) and make.
# Everything else goes into .venv and target, both inside the checkout.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# Of `make --jobs`, which compilers would take for theirs.
unexport MAKEFLAGS MFLAGS

# Stamps are newer than everything that the step read.
VENV_MADE := $(VENV)/.made
INSTALLED := $(VENV)/.installed
DEVELOPED := $(VENV)/.developed
ORACLES_INSTALLED := $(VENV)/.oracles-installed
BUILT := $(VENV)/.built
RUST_INPUTS := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

.PHONY: help setup gate mutants tuned run test build-rust-tests test-rust test-python soak fuzz fuzz-guests soak-guests soak-server soak-pairs soak-memory miri audit lint lint-rust lint-python linux linux-debug root try-root qemu try-qemu generate new-module new-nic bench bench-analysis bench-cores bench-composition bench-engine bench-instructions bench-memory bench-nics bench-peers bench-scaling bench-server dist wheel docs clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(DEVELOPED) $(BUILT) ## Make .venv with the package, its extension in release mode, and the tools

$(VENV_MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: $(PYTHON) is older than 3.11"; echo "help: make PYTHON=python3.11 setup"; exit 1; } >&2
	@command -v cargo >/dev/null || \
		{ echo "error: cargo is not on the path"; echo "help: install Rust: https://rustup.rs"; exit 1; } >&2
	@! grep -qs '^flags' /proc/cpuinfo || { grep -qw avx2 /proc/cpuinfo && grep -qw bmi2 /proc/cpuinfo; } || \
		{ echo "error: this processor lacks AVX2 and BMI2, which the extension is built for"; \
		echo "help: take target-cpu out of .cargo/config.toml"; exit 1; } >&2
	$(PYTHON) -m venv $(VENV)
	touch $@

# The requirements of the package, or those of one of its extras: $(call requirements,["dependencies"]).
requirements = $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]$(1))')
extra = $(call requirements,["optional-dependencies"]["$(1)"])
everything = $(call requirements,["dependencies"]) $(foreach name,compiler graphs plots search tables,$(call extra,$(name)))
# Modules are compiled when they are first imported: compiling all of them takes as long as installing them.
PIP_INSTALL := $(BIN)/pip install --quiet --no-compile

# Requirements are installed while the compiler works; then `maturin develop` finds both and installs the package. When only Rust
# changed, nothing but the extension is built and put in place.
$(INSTALLED): pyproject.toml | $(VENV_MADE)
	$(PIP_INSTALL) maturin
	$(PIP_INSTALL) $(everything) & installing=$$!; \
		trap 'kill $$installing 2>/dev/null || true' EXIT; \
		$(BIN)/maturin develop --release --skip-install && wait $$installing
	PIP_QUIET=1 $(BIN)/maturin develop --release
	touch $@

# What tests and lints need besides; `make run` does without.
$(DEVELOPED): pyproject.toml | $(INSTALLED)
	$(PIP_INSTALL) $(call extra,dev)
	touch $@

# `make ORACLES=1` also installs the extra `oracles`: large, so not part of the set-up that everyone needs.
$(ORACLES_INSTALLED): pyproject.toml | $(INSTALLED)
	oracles=$(call extra,oracles); \
	$(PIP_INSTALL) $$oracles || echo "note: could not install $$oracles: the tests that need them will be skipped" >&2
	touch $@

$(BUILT): $(RUST_INPUTS) | $(INSTALLED) $(if $(ORACLES),$(ORACLES_INSTALLED))
	$(BIN)/maturin develop --release --skip-install
	touch $@

# Twice compiled: once to count which ways both NICs take through the code, once to lay it out for these. The next change of
# Rust builds the ordinary extension again.
TUNING := $(CURDIR)/target/tuning
RUST_TOOLS = $$(rustc --print sysroot)/lib/rustlib/$$(rustc -vV | sed -n 's/^host: //p')/bin
build_with = $(BIN)/maturin develop --profile dist --skip-install --target-dir $(TUNING)/build \
	--config "target.'cfg(all())'.rustflags=['$(1)']"

tuned: setup ## Build the extension again, tuned by a profile of its own runs: up to a tenth faster, in five minutes
	@test -x "$(RUST_TOOLS)/llvm-profdata" || rustup component add llvm-tools || \
		{ echo "error: llvm-profdata is missing"; echo "help: rustup component add llvm-tools"; exit 1; } >&2
	rm -rf $(TUNING)/counts $(TUNING)/profile
	$(call build_with,-Cprofile-generate=$(TUNING)/counts)
	rm -rf $(TUNING)/counts # what compiling itself has left there
	$(BIN)/python benchmarks/training.py
	"$(RUST_TOOLS)/llvm-profdata" merge -o $(TUNING)/profile $(TUNING)/counts
	$(call build_with,-Cprofile-use=$(TUNING)/profile)
	touch $(BUILT)

dist: setup ## Build the extension again as wheels have it, with link-time optimisation
	$(BIN)/maturin develop --profile dist --skip-install
	touch $(BUILT)

run: $(INSTALLED) $(BUILT) ## Run the 10 Gb/s NIC at line rate
	$(BIN)/spinach run tengig

test: test-rust test-python ## Run every test, Rust and Python

build-rust-tests:
	cargo test --workspace --quiet --no-run

# Some compile programs with the Python package, and would skip without it.
test-rust: build-rust-tests setup
	cargo test --workspace --quiet --no-fail-fast

# In the order of collection, which tests/python/conftest.py chooses. `.ci/run` builds the kernel of the server first.
test-python: setup $(BEFORE_TESTS)
	$(BIN)/pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(PYTEST_OPTIONS)

# What .ci/run runs, two things at a time: compilers and type checkers are busy on one processor for long. Tests begin once lints that
# take no build are done.
gate: lint test audit

lint: lint-rust lint-python ## Check formatting, lints, types, and the stub against the built module

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

lint-python: setup
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/stubtest spinach_nic._native --mypy-config-file pyproject.toml

MIRI := cargo +nightly miri
miri: ## Look for undefined behaviour in the engine: its proof under Miri, on the nightly toolchain
	@$(MIRI) --version >/dev/null 2>&1 || \
		{ echo "error: Miri is missing"; echo "help: rustup toolchain install nightly --component miri,rust-src"; exit 1; } >&2
	MIRIFLAGS=-Zmiri-disable-isolation $(MIRI) test --package spinach-engine --test proof --target-dir target/miri -- quarter

audit: setup ## Look for known vulnerabilities and unfit licences in all dependencies
	.ci/audit

FIRST ?= 1
COUNT ?= 100
NIC ?= tengig
soak: setup ## Run NIC, hundredgig, ricenic, rosebud, tengig or tigon2, in COUNT random configurations from seed FIRST on
	$(BIN)/python -m tests.python.cards.soak $(NIC) $(FIRST) $(COUNT)

READER ?=
fuzz: setup ## Feed the readers of files, or READER, with COUNT changed files each from number FIRST on, modules with extreme parameters, fused modules and single ones with thousands of random programs, servers and QEMU with ten million random instructions, cores of the PowerPC with thousands of random programs, and the engine with thousands of random netlists and NICs that poll
	$(BIN)/python -m tests.python.fuzzing $(FIRST) $(COUNT) $(READER)
	$(if $(READER),,$(BIN)/python -m tests.python.fuzzing.commands lines $(FIRST) $(COUNT))
	$(if $(READER),,$(BIN)/python -m tests.python.fuzzing.commands files $(FIRST) $(COUNT))
	$(if $(READER),,cargo test --package spinach-modules -- --ignored)
	$(if $(READER),,SPINACH_LONG=1 cargo test --release --package spinach-modules --test processor caches_and_late)
	$(if $(READER),,SPINACH_LONG=1 SPINACH_SEED=$(FIRST) cargo test --package spinach-server --test qemu)
	$(if $(READER),,SPINACH_LONG=1 cargo test --package spinach-engine --test proof)
	$(if $(READER),,$(BIN)/python -m tests.python.runs.quiet $(FIRST) $(COUNT)0)

ROOM ?=
SAMPLE ?= 10
SEED ?= 1
mutants: setup ## Plant SAMPLE bugs in each room of the code, or in ROOM, and print which of them its nearest tests miss
	SAMPLE=$(SAMPLE) SEED=$(SEED) $(BIN)/python -m tests.python.mutants $(ROOM)

STEPS ?= 1000000
fuzz-guests: setup ## Let hostile guests of ricenic do STEPS things at random beside others, from seed FIRST on
	$(BIN)/python -m tests.python.cards.ricenic.hostile $(FIRST) $(STEPS)

BYTES ?= 10000000
soak-guests: setup ## Let Linux guests send BYTES bytes through each card that they can have, and take as many; load a driver ten times
	SPINACH_GUEST_BYTES=$(BYTES) SPINACH_GUEST_RELOADS=10 $(BIN)/pytest -q tests/python/guest -k 'drives or loads_the_driver'

soak-server: setup ## Let two simulated servers send BYTES bytes each way through each card; run the long form of their tests
	$(BIN)/python -m tests.python.servers.soak $(BYTES)
	SPINACH_LONG=1 $(BIN)/pytest -q tests/python/servers -k 'sampled_rates or perf_of_debian'

soak-pairs: setup ## Let pairs of simulated servers with cards in COUNT random configurations send streams, from seed FIRST on
	$(BIN)/python -m tests.python.servers.pairs $(FIRST) $(COUNT)

FRAMES ?= 1000000
soak-memory: setup ## See that FRAMES frames take no more memory than ten thousand
	$(BIN)/python -m tests.python.cards.memory $(FRAMES)

linux: setup ## Build kernel and first files of the simulated server from the distribution's source package; keep them in the cache
	$(BIN)/python -m spinach_nic.servers.linux

linux-debug: setup ## Build that kernel with line information for gdb, too
	$(BIN)/python -m spinach_nic.servers.linux --lines

root: setup ## Build a root file system of Debian (SUITE=trixie) for the simulated server from its packages; keep it in the cache
	SUITE=$(SUITE) $(BIN)/python -m spinach_nic.servers.root

# Tests do without the root file system where its packages cannot be had.
try-root: setup
	-$(BIN)/python -m spinach_nic.servers.root --if-missing

qemu: setup ## Get a QEMU that has devices of vfio-user, 10.1 or later, from Debian's backports with its libraries; keep it in the cache
	$(BIN)/python -m spinach_nic.runs.guest.qemu

# Likewise without this QEMU.
try-qemu: setup
	-$(BIN)/python -m spinach_nic.runs.guest.qemu --if-missing

generate: setup ## Write the stub and the reference pages of the module library, and whatever else follows from a declaration
	$(BIN)/python -m spinach_nic.generate

new-module: setup ## Write a module to begin with, and its test: NAME=packet_filter FAMILY=interconnect
	@$(BIN)/python -m spinach_nic.scaffold module "$(NAME)" "$(FAMILY)"

new-nic: setup ## Write a shipped NIC to begin with, its firmware, test and page: NAME=mycard
	@$(BIN)/python -m spinach_nic.scaffold nic "$(NAME)"

bench: bench-engine bench-cores bench-analysis bench-composition bench-memory bench-nics bench-server bench-peers bench-scaling bench-instructions ## Run every benchmark; needs `make linux` and valgrind; the last lines are the tables

bench-analysis: ## Benchmark the trace-driven studies
	cargo bench --package spinach-analysis --bench analysis

bench-memory: ## Benchmark the memories
	cargo bench --package spinach-modules --bench memory

bench-engine: ## Benchmark the engine
	cargo bench --package spinach-engine-bench

bench-cores: dist ## Benchmark the processor cores
	$(BIN)/python benchmarks/cores.py

bench-composition: dist ## Benchmark describing, elaborating and running systems from Python
	$(BIN)/python benchmarks/composition.py 50 800

bench-nics: dist ## Benchmark simulating the shipped NICs: speed, and cost by cores and banks
	$(BIN)/python benchmarks/nics.py

bench-server: dist ## Benchmark the server that boots Linux; needs `make linux`
	$(BIN)/python benchmarks/server.py

bench-peers: dist ## Benchmark Spinach beside Verilator, PyMTL3, Unicorn and QEMU on the same work; what is not installed is skipped
	$(BIN)/python -m benchmarks.peers

bench-scaling: dist ## Count what more cores, banks, frames and modules cost, and time a sweep on two processors; PLOT=FILE draws it
	$(BIN)/python benchmarks/scaling.py $(PLOT)

bench-instructions: dist ## Count the host instructions of a core cycle of each NIC, by function
	$(BIN)/python benchmarks/instructions.py

# Checkouts compile what they run, so that the images are for the wheel alone. With zig as linker a wheel for another processor
# needs no container.
IMAGES := build/images
TARGET ?=
wheel: docs ## Build a wheel with firmware and its images, captures, examples and the book into dist, for TARGET (aarch64-unknown-linux-gnu) if given
	$(if $(TARGET),rustup target add $(TARGET))
	$(BIN)/python -m spinach_nic.generate.images $(IMAGES)
	trap 'rm -rf $(IMAGES)' EXIT; PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --profile dist --strip --out dist $(if $(TARGET),--target $(TARGET) --zig)

docs: setup ## Build the book into build/docs; a broken link fails
	$(BIN)/zensical build --strict --clean

clean: ## Remove everything that the other targets made
	rm -rf $(VENV) target build dist .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find python -name '*.so' -delete
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +
