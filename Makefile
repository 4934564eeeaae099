# The front door; CMake does the work (CMakeLists.txt, CMakePresets.json).

PREFIX ?= /usr/local
RAMUS  ?= build/ramus
JOBS   := $(shell nproc)
export RAMUS

.PHONY: build test tsan check-answers check-aarch64 check-devices check-documents check-kills check-serve check-web soak analyze fuzz web web-demo demo bench format lint install uninstall clean help

build: ## builds build/ramus, build/lib/libramus.a and libramus.so, without tests (the default)
	@tools/install-packages build
	@tools/build native

test: ## builds and tests twice, as released and with sanitizers, and briefly for other devices
	@tools/install-packages build mpi count documents shells
	@tools/check-web --prepare || echo "note: the page cannot be built or tested here; its tests say what they leave out" >&2
	@tools/run-tests native asan
	@tools/check-devices short

tsan: ## builds and runs the tests of threads with the thread sanitizer
	@tools/install-packages build
	@tools/check-tsan

check-answers: build ## the law of one answer on 2,000 sentences; MODEL=FILE.gguf TEXT=FILE: on yours
	@tools/build native one_answer
	@tools/check-answers "$(MODEL)" "$(TEXT)"

check-devices: build ## the same answers on phones and other devices, cross-built and emulated
	@tools/build native device_lines
	@tools/check-devices

check-aarch64: build ## of these 64-bit ARM alone
	@tools/build native device_lines
	@tools/check-aarch64

check-documents: build ## real documents translated whole and judged by other programs; DOCUMENTS=FOLDER keeps them
	@tools/install-packages documents office
	@tools/build native document_copy document_office_copy
	@tools/check-documents $(DOCUMENTS)

check-kills: build ## ranks of training, distilling and translating killed at random moments, ten times each
	@tools/install-packages build mpi
	RAMUS_KILLS=10 tests/cli/mpi_corpus.sh "$(CURDIR)/build/ramus" "$(CURDIR)/tests/golden"
	RAMUS_KILLS=10 tests/cli/mpi.sh "$(CURDIR)/build/ramus" "$(CURDIR)/tests/golden"

check-serve: build ## a million requests of mixed dialects and faults to the server, each answer compared; REQUESTS=N, MINUTES=N: at most
	tests/serve/soak.py build/ramus models $(or $(REQUESTS),1000000) $(if $(MINUTES),--minutes $(MINUTES))

soak: build ## lines through translate twice, and an endless pipe: LINES=1000000 MINUTES=30 MODEL=FILE.gguf TEXT=FILE
	tests/cli/soak.py build/ramus tests/golden --lines $(or $(LINES),1000000) --minutes $(or $(MINUTES),30) \
	    $(if $(MODEL),--model "$(MODEL)") $(if $(TEXT),--text "$(TEXT)")

analyze: ## gcc's static analyzer over src
	@tools/analyze

check-web: build ## the page in a headless browser
	@tools/check-web

web: ## builds the translator for browsers and node: build/web/package, build/web/site
	@tools/build-web

web-demo: web ## serves build/web/site on this machine; PORT=N
	@node tools/serve-web.mjs build/web/site $(PORT)

fuzz: ## fuzzes the readers of files and texts, MINUTES=1 of each; build-fuzz/corpus keeps the inputs
	@tools/fuzz $(or $(MINUTES),1)

demo: build ## shows what ramus can do
	@tools/demo

bench: build ## runs the benchmarks
	@tools/install-packages bench
	@tools/bench

format: ## formats all C files
	@tools/install-packages format
	git ls-files '*.c' '*.h' | xargs clang-format -i

lint: build ## checks format and code without running it
	@tools/install-packages lint
	git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
	sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/compile_commands.json | sort -u | \
	    xargs -d '\n' -P $(JOBS) -n 1 clang-tidy -p build --quiet
	cppcheck --project=build/compile_commands.json --enable=warning,performance,portability \
	    --inline-suppr --error-exitcode=1 --quiet -j $(JOBS)

install: build ## installs to $(PREFIX), below $(DESTDIR) if that is set
	DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

uninstall: ## removes what `make install` of this tree put below $(PREFIX), and $(DESTDIR)
	tools/uninstall build "$(PREFIX)" "$(DESTDIR)"

clean: ## removes what was built
	rm -rf build build-*

help: ## lists these targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1 /p' Makefile | \
	    while read -r name text; do printf '  make %-15s %s\n' "$$name" "$$text"; done
