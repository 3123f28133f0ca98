# Shortcuts around CMake. On a fresh Debian with git and make, `make run` and `make test` install what they need.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BUILD := build
# Bright colours are bodies that have become one.
DEMO := wagon --param stops=1 --merging on --color collection

.PHONY: help run test test-web build check bench install clean

help:
	@echo "make run               install what is missing, build, show the demo in the browser"
	@echo "make test              install what is missing, build, run all tests"
	@echo "make test-web          install Chromium if it is missing, test the viewer's page in it"
	@echo "make build             build the library and the command line into $(BUILD)/"
	@echo "make check             everything a change must pass: format, includes, tests, sanitizers"
	@echo "make bench             build and run the benchmark"
	@echo "make install PREFIX=/usr/local"
	@echo "make clean             remove the build folders"

# The viewer wants somebody to look: without a terminal the demo runs as text.
run: build
	@if [ -t 1 ] && [ -z "$$CI" ]; then \
	    $(BUILD)/bin/moraine view $(DEMO); \
	else \
	    echo "No terminal here, so the demo runs as text. To look at it: $(BUILD)/bin/moraine view $(DEMO)"; \
	    $(BUILD)/bin/moraine run wagon --param stops=1 --merging on; \
	fi

test:
	@tools/install-packages build test
	cmake --preset release -DMORAINE_BUILD_TESTS=ON -DMORAINE_BUILD_BENCH=ON
	cmake --build $(BUILD) --parallel $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

test-web:
	@tools/install-packages build test browser
	cmake --preset release -DMORAINE_BUILD_TESTS=ON -DMORAINE_TEST_BROWSER=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target moraine_cli
	ctest --test-dir $(BUILD) --output-on-failure --label-regex web

# Tests and benchmark stay as they were chosen before: off in a fresh folder, which needs fewer packages.
build:
	@tools/install-packages build
	@if [ ! -f $(BUILD)/build.ninja ]; then \
	    cmake --preset release -DMORAINE_BUILD_TESTS=OFF -DMORAINE_BUILD_BENCH=OFF; fi
	cmake --build $(BUILD) --parallel $(JOBS)

check:
	tools/check

bench:
	@tools/install-packages build test
	cmake --preset release -DMORAINE_BUILD_BENCH=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target moraine_bench
	$(BUILD)/bin/moraine-bench

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build build-debug build-check build-scalar build-asan build-tsan build-fuzz
