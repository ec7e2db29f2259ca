# The front door. `make help` lists what there is.
SHELL := /bin/bash
PREFIX ?= /usr/local
BUILD := build/release
ROOST := $(BUILD)/src/cli/roost
JOBS ?= $(shell nproc)
UNITY ?= OFF  # ON compiles several files as one: a first build takes less time, a small change longer (cmake/roost.cmake)

.PHONY: help build program build-tests demo test test-quick test-full test-asan test-tsan soak fuzz bench install deb clean format
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | \
	  awk -F'\t' '{printf "  make %-10s %s\n", $$1, $$2}'

build: ## set up and build the program into build/release
	@tools/setup build
	@tools/onnxruntime
	@$(MAKE) --no-print-directory program

# The program alone, of what is set up already. Unit tests are there only once somebody wanted them (build-tests).
program:
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release -B $(BUILD) -DCMAKE_UNITY_BUILD=$(strip $(UNITY)) -DROOST_TESTS=OFF >/dev/null
	@echo "==> build: $(ROOST)" && ninja -C $(BUILD) -j$(JOBS) --quiet roost

build-tests:
	@tools/setup build test demo images
	@tools/onnxruntime
	@grep -qs '^ROOST_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt || cmake --preset release -B $(BUILD) -DCMAKE_UNITY_BUILD=$(strip $(UNITY)) -DROOST_TESTS=ON >/dev/null
	@echo "==> build: $(BUILD), with the unit tests" && ninja -C $(BUILD) -j$(JOBS) --quiet

demo: ## set up, build, start Roost and train the birds example
	@tools/setup build
	@{ tools/setup demo && tools/onnxruntime; } & setting_up=$$!; $(MAKE) --no-print-directory program && wait $$setting_up
	@tools/demo $(ROOST)

test: build-tests ## set up, build and run every test
	@tools/test $(BUILD)

test-quick: build-tests ## units, style and a handful of scenarios: under 3 minutes on a built tree
	@tools/test $(BUILD) --quick

test-full: build-tests ## every test as root and as a plain user, then under both sanitizers
	@tools/test $(BUILD) --full
	@$(MAKE) --no-print-directory test-asan test-tsan

test-asan: ## every test under AddressSanitizer and UBSan
	@tools/setup build test demo images
	@tools/onnxruntime
	@cmake --preset asan >/dev/null && ninja -C build/asan -j$(JOBS) --quiet
	@tools/test build/asan

test-tsan: ## every test under ThreadSanitizer
	@tools/setup build test demo images
	@tools/onnxruntime
	@cmake --preset tsan >/dev/null && ninja -C build/tsan -j$(JOBS) --quiet
	@tools/test build/tsan

soak: build ## half an hour of churn with 500 kills, then 50 power losses
	@tools/setup demo test
	@ROOST_BIN=$(CURDIR)/$(ROOST) /usr/bin/python3 tests/soak.py

FUZZ_SECONDS ?= 60
fuzz: ## every fuzz target for FUZZ_SECONDS (60)
	@tools/setup build fuzz
	@cmake --preset fuzz >/dev/null && ninja -C build/fuzz -j$(JOBS) --quiet fuzzers
	@tools/fuzz build/fuzz $(FUZZ_SECONDS)

bench: build ## measure speed beside its peers and print the table
	@tools/setup bench demo
	@/usr/bin/python3 bench/run.py --roost $(ROOST)

install: build ## install into PREFIX (/usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@command -v buildah >/dev/null || echo "==> for environments that are images or Dockerfiles, 10 MB more: tools/setup images"

deb: build ## make the Debian package
	@cd $(BUILD) && cpack -G DEB

format: ## format the C++ sources
	@git ls-files 'src/*.h' 'src/*.cc' 'fuzz/*.cc' | xargs clang-format-19 -i

clean: ## remove what was built
	@rm -rf build
