# The face of the build; CMake does the work. `make help` lists what there is.
BUILD := build
JOBS := $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS := 10
HUNT_COUNT := 200
GOLD_BASE := HEAD
TSAN_TESTS := threads ensemble side basin basin_more lyapunov lyapunov_parts attractor survey survey_files statistics chart fit
ENGINE_COUNT := 5000
PREFIX := /usr/local
space := $(subst ,, )
SOURCES = $(shell find include src tests bench examples -name '*.[ch]')

.DEFAULT_GOAL := build
.PHONY: help build demo check test test-long reproduce bench lint lint-layout lint-arrows lint-cppcheck lint-tidy sanitize sanitize-gcc sanitize-clang tsan fuzz configure-fuzz hunt gold coverage fuzz-coverage engine install uninstall deb deb-test clean configure

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

build: configure ## the command: build/zwang
	@cmake --build $(BUILD) --target zwang_command

demo: build ## a ball on a turntable: its path drawn, its period beside the closed form
	@tools/demo $(BUILD)/zwang

check: configure ## the quick layers of the tests: units and numerics
	@cmake --build $(BUILD) --target check_programs
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) -R '^test_' -L '^(unit|numerics)$$'

test: configure ## everything compiled, all tests run
	@tools/setup browser || echo "make: without a browser the viewer is not tested"
	@tools/setup latex || echo "make: without TeX the written LaTeX is not compiled"
	@tools/setup video || echo "make: without ffmpeg films are not tested"
	@tools/setup many || echo "make: without Open MPI and GNU parallel sweeps are shared by plain processes only"
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

test-long: ## the same with nothing left out: every model by every principle, all tolerances, documents in full
	@ZWANG_TEST_LONG=1 $(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory reproduce

reproduce: build ## the documents of the literature: numbers side by side, pictures in out/reproduce
	@reproduce/all --zwang $(BUILD)/zwang

bench: build ## the figures, measured on this machine, peers in the same run
	@tools/setup bench
	@cmake --build $(BUILD) --target benches
	@bench/run $(BUILD)

lint: lint-layout lint-arrows lint-cppcheck lint-tidy ## layout, dependencies between modules, static analysis (-k: continue after failures)

lint-layout: # clang-format
	@tools/setup lint
	clang-format --dry-run -Werror $(SOURCES)

lint-arrows: # which module includes which
	tools/check-includes $(filter src/% include/%,$(SOURCES))

lint-cppcheck:
	@tools/setup lint
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --suppress=missingIncludeSystem --error-exitcode=1 -j $(JOBS) -U__clang_analyzer__ \
	    -Iinclude -Isrc src examples

# The analyzer follows 50000 nodes per function: a quarter of the time of its default, 225000 (TIDY_NODES=225000).
TIDY_NODES ?= 50000

# of a library that is not there, as in bench/CMakeLists.txt
UNREADABLE = $(if $(wildcard /usr/include/siconos/numerics/FrictionContactProblem.h),,bench/contact_peer_siconos.c)

lint-tidy: configure # clang-tidy, file by file: given several, version 14 mixes their va_list up
	@tools/setup lint
	printf '%s\n' $(filter-out $(UNREADABLE),$(filter %.c,$(SOURCES))) | xargs -n 1 -P $(JOBS) clang-tidy --quiet -p $(BUILD) \
	    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang \
	    --extra-arg=max-nodes=$(TIDY_NODES)

sanitize: sanitize-gcc sanitize-clang fuzz ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer by gcc and clang, then fuzz

sanitize-gcc: # the sanitizers of gcc
	@tools/setup build test viewer browser latex
	@cmake -S . -B $(BUILD)-sanitize -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" -DZW_SANITIZE=ON -DZW_WERROR=ON
	@cmake --build $(BUILD)-sanitize
	@tests/sanitized $(BUILD)-sanitize $(JOBS)

sanitize-clang: configure-fuzz # the sanitizers of clang, which check more pointer arithmetic; in the build folder of the fuzz targets
	@tools/setup viewer browser latex
	@cmake --build $(BUILD)-fuzz
	@tests/sanitized $(BUILD)-fuzz $(JOBS)

tsan: ## multithreaded ensembles, basins, exponents, sweeps and contexts under ThreadSanitizer
	@tools/setup build test
	@cmake -S . -B $(BUILD)-tsan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DZW_TSAN=ON -DZW_WERROR=ON
	@cmake --build $(BUILD)-tsan --target $(TSAN_TESTS:%=test_%)
	@TSAN_OPTIONS=halt_on_error=1 ctest --test-dir $(BUILD)-tsan --output-on-failure \
	    -R '^test_($(subst $(space),|,$(TSAN_TESTS)))$$'

fuzz: configure-fuzz ## mutated texts, files and command lines, and random models; FUZZ_SECONDS per target
	@cmake --build $(BUILD)-fuzz --target fuzz_all
	@JOBS=$(JOBS) tests/fuzz/run $(BUILD)-fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

configure-fuzz:
	@tools/setup build test fuzz
	@CC=clang cmake -S . -B $(BUILD)-fuzz -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" \
	    -DZW_SANITIZE=ON -DZW_FUZZ=ON -DZW_WERROR=ON

hunt: build ## HUNT_COUNT random models of each kind (rolling, contacts, vector fields), checked by independent integrations
	@tools/setup hunt
	@tests/hunt/all $(BUILD)/zwang $(HUNT_COUNT)

gold: build ## every call of pages, help, reproductions and verbs on models: the same bytes as the build of commit GOLD_BASE
	@rm -rf out/gold/base && mkdir -p out/gold/base
	@git archive $(GOLD_BASE) | tar -x -C out/gold/base
	@cmake -S out/gold/base -B out/gold/base/build -G Ninja >out/gold/configure.log
	@cmake --build out/gold/base/build --target zwang_command
	@tools/gold equal out/gold/base/build/zwang $(BUILD)/zwang --jobs $(JOBS)

coverage: ## line coverage of the tests, by module (gcov)
	@tools/setup build test viewer browser latex
	@cmake -S . -B $(BUILD)-coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 --coverage -fprofile-update=atomic"
	@cmake --build $(BUILD)-coverage
	@find $(BUILD)-coverage -name '*.gcda' -delete
	@ctest --test-dir $(BUILD)-coverage --parallel $(JOBS) --output-on-failure || echo "make: coverage of a suite with failures"
	@tests/coverage $(BUILD)-coverage

fuzz-coverage: ## line coverage of the fuzz inputs, by module (llvm-cov)
	@tools/setup build test fuzz
	@CC=clang cmake -S . -B $(BUILD)-fuzz-coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" \
	    -DCMAKE_C_FLAGS="-fprofile-instr-generate -fcoverage-mapping" -DZW_FUZZ=ON
	@cmake --build $(BUILD)-fuzz-coverage --target fuzz_all
	@tests/fuzz/coverage $(BUILD)-fuzz-coverage $(BUILD)-fuzz

engine: configure ## expressions and derivatives against mpmath at 50 digits, ENGINE_COUNT of them
	@tools/setup engine
	@cmake --build $(BUILD) --target expression_samples
	@tests/engine/judge $(BUILD)/tests/engine/expression_samples $$(date +%s) $(ENGINE_COUNT)

install: configure ## command, libraries, headers, models, documents, manual pages, completion into PREFIX (and DESTDIR)
	@cmake -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX)) $(BUILD) >$(BUILD)/install.log
	@cmake --build $(BUILD) --target zwang zwang_shared zwang_command documents
	@DESTDIR=$(DESTDIR) tools/package/install $(BUILD) $(abspath $(PREFIX))

uninstall: ## remove what make install has put into PREFIX (and DESTDIR)
	@DESTDIR=$(DESTDIR) tools/package/uninstall $(abspath $(PREFIX))

deb: configure ## Debian packages in BUILD-deb/packages, looked at by lintian
	@tools/setup package
	@mkdir -p $(BUILD)-deb && { test -d $(BUILD)-deb/viewer || ! test -d $(BUILD)/viewer || cp -R $(BUILD)/viewer $(BUILD)-deb; }
	@cmake -S . -B $(BUILD)-deb -G Ninja -DCMAKE_INSTALL_PREFIX=/usr >$(BUILD)-deb/configure.log
	@cmake --build $(BUILD)-deb --target zwang zwang_shared zwang_command documents
	@rm -rf $(BUILD)-deb/packages
	@tools/package/deb . $(BUILD)-deb $(BUILD)-deb/packages
	@lintian --allow-root --fail-on error,warning $(BUILD)-deb/packages/*.deb && echo "lintian: nothing to complain of"

deb-test: deb ## install the Debian packages on this machine for a moment, use them, remove them (as root)
	@tests/package/deb-installed $(BUILD)-deb/packages

clean: ## remove what the build made
	rm -rf $(BUILD) $(BUILD)-deb $(BUILD)-sanitize $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-coverage $(BUILD)-fuzz-coverage out

configure: # the tests are configured with the rest, so their packages are needed from the start
	@tools/setup build test
	@tools/setup viewer || echo "make: without npm there is no 'zwang view'; everything else is built"
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja
