# The front door. `make help` lists what there is.
SHELL := /bin/bash
PREFIX ?= /usr/local
BUILD := build/release
ROOST := $(BUILD)/src/cli/roost
JOBS ?= $(shell nproc)

.PHONY: help build demo test test-asan test-tsan soak fuzz bench install deb clean format
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | \
	  awk -F'\t' '{printf "  make %-10s %s\n", $$1, $$2}'

build: ## set up and build the program into build/release
	@tools/setup build test
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release -B $(BUILD) >/dev/null
	@echo "==> build: $(BUILD)" && ninja -C $(BUILD) -j$(JOBS) --quiet

demo: build ## set up, build, start Roost and train the birds example
	@tools/setup demo
	@tools/demo $(ROOST)

test: build ## set up, build and run every test
	@tools/setup demo test
	@tools/test $(BUILD)

test-asan: ## the whole suite under AddressSanitizer and UBSan
	@tools/setup build test demo
	@cmake --preset asan >/dev/null && ninja -C build/asan -j$(JOBS) --quiet
	@tools/test build/asan

test-tsan: ## the whole suite under ThreadSanitizer
	@tools/setup build test demo
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
