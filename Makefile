# make            build into build/bin and build/lib
# make demo       replay a real program over several networks
# make check      every test that must pass before a change lands
# make check-long the long ones as well
# make bench      speed, beside SimGrid in the same run
# The set-up (tools/packages.txt) is part of each.
HELIO := build/bin/helio
JOBS  := $(shell nproc)

.PHONY: build demo check check-long bench format install clean help setup
.DEFAULT_GOAL := build

help:
	@sed -n 's/^# //p' Makefile

setup:
	@tools/setup

build: setup
	@cmake --preset release >/dev/null
	@cmake --build build --parallel $(JOBS)

demo: build
	@echo '$$ $(HELIO) run examples/demo.yaml'
	@$(HELIO) run examples/demo.yaml

check: setup
	@tools/check

check-long: setup
	@tools/check long

bench: build
	@bench/run build

format:
	@git ls-files '*.[ch]' | xargs clang-format-14 -i

install: build
	@cmake --install build

clean:
	rm -rf build build-*
