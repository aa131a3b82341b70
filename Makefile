# make             build into build/bin and build/lib
# make demo        replay a real program on several networks
# make check       every test that a change must pass
# make check-long  the long tests as well, the thread sanitizer, and a minute of fuzzing for each target
# make conformance MPICH's tests of collectives, with the preloaded library and without
# make applications  pw.x, hpcc, LAMMPS and conjugate gradients with the preloaded library and without
# make bench       measure speed, and compare with SimGrid in the same run; AGAINST=HELIO: with another helio
# make format      format the source with clang-format
# make install     to PREFIX (/usr/local), below DESTDIR
# make uninstall   removes what the last make install wrote; with the same DESTDIR
# make packages    build Debian packages, in build/
# make clean       removes build/ and build-*/
# Missing packages of the system are installed first (tools/packages.txt).
PREFIX ?= /usr/local
HELIO  := build/bin/helio

.PHONY: build demo check check-long conformance applications bench format install uninstall packages clean help
.DEFAULT_GOAL := build

help:
	@sed -n 's/^# //p' Makefile

build:
	@tools/setup
	@tools/report-assets || echo 'make: going on, but reports (helio run --html) need them' >&2
	@cmake --preset release >/dev/null
	@cmake --build build --parallel $$(nproc)
	@$(MAKE) --silent -C examples

demo: build
	@echo '$$ $(HELIO) run examples/demo.yaml --html build/demo.html'
	@$(HELIO) run examples/demo.yaml --html build/demo.html

check:
	@tools/setup check
	@tools/report-assets
	@tools/check

check-long:
	@tools/setup check
	@tools/report-assets
	@tools/check long

conformance: build
	@tests/conformance/run

applications: build
	@tests/applications/run

bench: build
	@tools/setup check
ifdef AGAINST
	@bench/against "$(AGAINST)" build
else
	@bench/run build
endif

format:
	@tools/setup check
	@git ls-files '*.[ch]' | xargs clang-format-14 -i

install: build
	@cmake --install build --prefix "$(PREFIX:~/%=$(HOME)/%)"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || PATH=$$PATH:/sbin:/usr/sbin ldconfig # programs find the library

uninstall:
ifeq ($(origin PREFIX),file)
	@cmake -P cmake/uninstall.cmake
else
	@cmake -DPREFIX="$(PREFIX:~/%=$(HOME)/%)" -P cmake/uninstall.cmake
endif

packages: build
	@cd build && cpack -G DEB

clean:
	rm -rf build build-*
	@$(MAKE) --silent -C examples clean
