# Needs Python 3.11 or newer, a C++20 compiler and make; everything else goes into .venv.
PYTHON ?= python3
CXX ?= g++
export CXX
# Each worker would compile all tests again, and each process the package.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet --no-build-isolation --no-deps --force-reinstall .
# One worker a core and one for while tests wait, four at most: each imports torch.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --maxprocesses 4 --dist loadfile --no-loadscope-reorder \
          --max-worker-restart 0
RUNS := build/tests
SOURCES := $(shell find csrc bindings python share -type f ! -name '*.pyc' ! -name '*.so') \
           CMakeLists.txt pyproject.toml scripts/check_isa_objects.py \
           scripts/core_documentation.py README.md LICENSE

.DELETE_ON_ERROR:
.PHONY: help build demo test test-exhaustive test-ray test-all check format sanitize coverage bench-smoke bench soak wheel lock audit clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

demo: $(VENV)/installed  ## replay a recorded history, then the longest found here; or REPO=path
	@$(BIN)/python scripts/demo.py --reports build/demo "$(REPO)"

build: $(VENV)/installed  ## make .venv and install prefrontal into it

test: $(VENV)/with-torch $(VENV)/tools  ## run the tests on all cores, some cases of what is exhaustive
	$(PYTEST) -m "not exhaustive" --record=$(RUNS)/quick.json

test-exhaustive: $(VENV)/with-torch $(VENV)/tools  ## run what make test leaves out
	$(PYTEST) -m exhaustive --record=$(RUNS)/exhaustive.json

test-ray: $(VENV)/with-torch $(VENV)/tools $(VENV)/ray-tools  ## run the tests that begin a Ray cluster
	PREFRONTAL_TEST_RAY=1 $(BIN)/python -m pytest \
	  tests/reliability/test_partitions.py::test_what_ray_places_decides_once \
	  "tests/cli/watch/partitions/test_node_figures.py::test_a_node_serves_the_figures_of_all_its_processes[local]" \
	  tests/cli/sweeps/test_sweeps.py::test_all_that_is_written_is_the_same_on_a_ray_cluster

test-all:  ## run every test
	rm -rf $(RUNS)
	$(MAKE) test
	$(MAKE) test-exhaustive
	$(BIN)/python scripts/check_test_runs.py $(RUNS)/quick.json $(RUNS)/exhaustive.json

check: $(VENV)/with-torch $(VENV)/tools  ## lint, format, types, imports, requirements, rooms, references
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=python $(BIN)/lint-imports --no-logo
	find csrc bindings -name '*.[ch]pp' | xargs $(BIN)/clang-format --dry-run -Werror
	$(BIN)/python scripts/check_requirements.py
	$(BIN)/python scripts/check_house.py
	$(BIN)/python scripts/check_decide_borders.py
	$(BIN)/python scripts/make_references.py --check

format: $(VENV)/tools  ## rewrite the files in the project's format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	find csrc bindings -name '*.[ch]pp' | xargs $(BIN)/clang-format -i

sanitize: $(VENV)/with-torch $(VENV)/tools  ## the tests of the core under ASan, UBSan and TSan
	sh scripts/sanitize.sh $(BIN)/python
	sh scripts/sanitize.sh $(BIN)/python thread

coverage: $(VENV)/with-torch $(VENV)/coverage-tools  ## which lines and branches the tests execute
	$(BIN)/python scripts/measure_coverage.py --jobs $(JOBS)

bench-smoke: $(VENV)/with-torch $(VENV)/tools  ## run each benchmark once, quickly: do they work?
	set -e; for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file --smoke; done

bench: $(VENV)/with-torch $(VENV)/tools  ## run the benchmarks in full
	set -e; for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file; done

soak: $(VENV)/with-torch $(VENV)/tools  ## the long forms of benchmarks/reliability: hours
	$(BIN)/python benchmarks/reliability/kills.py --kills 10000
	$(BIN)/python benchmarks/reliability/power.py --losses 5000
	$(BIN)/python benchmarks/reliability/disk.py
	$(BIN)/python benchmarks/reliability/fairness.py
	$(BIN)/python benchmarks/reliability/linear.py
	$(BIN)/python benchmarks/reliability/fuzz.py
	$(BIN)/python benchmarks/reliability/soak.py
	$(BIN)/python benchmarks/reliability/server_faults.py
	$(BIN)/python benchmarks/reliability/partitions.py
	$(BIN)/python benchmarks/reliability/idle.py

wheel: $(VENV)/ready $(VENV)/wheel-tools  ## dist/: a wheel for machines without a compiler, SBOM, hashes
	$(BIN)/python scripts/make_wheel.py

lock: $(VENV)/audit-tools  ## lock the newest versions that pyproject.toml allows, by their hashes
	PATH="$(BIN):$$PATH" $(BIN)/python scripts/locked.py --write

audit: $(VENV)/audit-tools  ## ask a list of known vulnerabilities for each locked package
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements.lock

clean:  ## remove everything that was made here
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# --- stamps ----------------------------------------------------------------------------------
# The interpreter, with what is needed to build and to run: the files of requirements.lock, by their hashes.
LOCKS := pyproject.toml requirements.lock scripts/locked.py
LOCKED := $(PIP) install --quiet --require-hashes --no-deps -r

$(VENV)/ready: $(LOCKS)
	@sh scripts/check_machine.sh "$(PYTHON)" "$(CXX)"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python scripts/locked.py build run > $@.txt
	$(LOCKED) $@.txt
	@# cmake and ninja: only where the system lacks a recent enough one; torch comes with the tools
	PREFRONTAL_TORCH=0 $(BIN)/python -c 'from scikit_build_core.build import get_requires_for_build_wheel as needed; \
	  print("\n".join(needed()))' | xargs $(BIN)/python scripts/locked.py > $@.txt
	$(LOCKED) $@.txt
	@touch $@

$(VENV)/tools: $(VENV)/ready requirements-cpu.lock
	@# the small build of torch where pip is shown one; what torch needs depends on the build
	@$(LOCKED) requirements-cpu.lock >/dev/null 2>&1 || true
	$(BIN)/python scripts/locked.py dev plot bench calendar control embeddings llm mcp nats otel postgres redis server web wheel > $@.txt
	$(LOCKED) $@.txt
	$(BIN)/python scripts/locked.py --below torch > $@.txt
	$(LOCKED) $@.txt
	@touch $@

$(VENV)/audit-tools $(VENV)/coverage-tools $(VENV)/ray-tools $(VENV)/wheel-tools: $(VENV)/%-tools: $(VENV)/ready
	$(BIN)/python scripts/locked.py $* > $@.txt
	$(LOCKED) $@.txt
	@touch $@

# The main job needs no torch; what was built with torch serves it too.
$(VENV)/installed: $(VENV)/ready $(SOURCES)
	PREFRONTAL_TORCH=$(if $(wildcard $(VENV)/tools),1,0) $(INSTALL)
	@touch $@ $(if $(wildcard $(VENV)/tools),$(VENV)/with-torch)

$(VENV)/with-torch: $(VENV)/tools $(SOURCES)
	PREFRONTAL_TORCH=1 $(INSTALL)
	@touch $@ $(VENV)/installed
