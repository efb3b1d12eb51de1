# pmuprof. `make` leaves ./pmuprof; `make check` runs all tests (tools/check installs what they need first).
#
# SAN=address,undefined  sanitizers        COV=1  line coverage
# WERROR=1               warnings fail     CC=…   another compiler

BUILD ?= build$(if $(SAN),-san)$(if $(COV),-cov)
PACKAGES := libdw libelf zlib

CC ?= gcc
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wformat=2 -Wwrite-strings
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -I. $(WARNINGS) $(if $(WERROR),-Werror) -fno-omit-frame-pointer -fno-common \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all,$(HARDEN)) $(if $(COV),--coverage) \
	$(shell pkg-config --cflags $(PACKAGES)) $(CFLAGS)
ALL_LDFLAGS := $(if $(SAN),-fsanitize=$(SAN),-pie -Wl,-z,relro,-z,now) $(if $(COV),--coverage) $(LDFLAGS)
LIBS := $(shell pkg-config --libs $(PACKAGES)) -liberty

ROOMS := base object perfdata unwind symbolize profiler analysis ui export
LIBRARY := $(BUILD)/libpmuprof.a
.DELETE_ON_ERROR:

LIBRARY_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(ROOMS:%=%/*.c)))
COMMAND_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cmd/*.c))
UNIT_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*.c))
PROGRAM := $(if $(SAN)$(COV),$(BUILD)/pmuprof,pmuprof)

all: $(PROGRAM)

$(PROGRAM): $(COMMAND_OBJECTS) $(LIBRARY)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# Made anew, so that the object of a file that is gone does not stay in it.
$(LIBRARY): $(LIBRARY_OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Programs that tests run: tests/oracle/*.c, each of one file; those that are ours link the library.
ORACLES := $(BUILD)/libdw_stacks $(BUILD)/our_stacks

$(BUILD)/our_stacks: $(BUILD)/tests/oracle/our_stacks.o $(LIBRARY)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libdw_stacks: $(BUILD)/tests/oracle/libdw_stacks.o
	$(CC) $(ALL_LDFLAGS) -o $@ $^ -ldw -lelf

oracles: $(ORACLES)

# Unit tests of the library and of the options' parser.
$(BUILD)/unit: $(UNIT_OBJECTS) $(BUILD)/cmd/option.o $(LIBRARY)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)

unit: $(BUILD)/unit

# Fuzzers: clang's libFuzzer with the sanitizers, in a build folder of their own.
$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(LIBRARY)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

fuzzers: $(BUILD)/fuzz_recording $(BUILD)/fuzz_cfi

FUZZ_SECONDS ?= 10
FUZZ := CC=clang BUILD=build-fuzz SAN=address,undefined,fuzzer-no-link

# All tests. What they need is installed by tools/check.
check: $(PROGRAM) oracles unit man
	tests/run --begin
	tests/run unit $(BUILD)/unit
	tests/run arrows tools/arrows
	tests/run lint tools/lint
	tests/run man tests/man $(BUILD)/man
	tests/run golden tests/golden/run $(PROGRAM)
	$(MAKE) -s SAN=address,undefined unit all
	tests/run unit-san build-san/unit
	tests/run corpus-san tests/corpus build-san/pmuprof
	$(MAKE) -s $(FUZZ) fuzzers
	tests/run fuzz tests/fuzz/run build-fuzz $(FUZZ_SECONDS)
	tests/run oracle tests/oracle/agree $(BUILD)
	tests/run e2e bats --tap tests/e2e
	tests/run --sum

# For the working day: under a minute.
check-quick: $(PROGRAM) unit man
	tests/run --begin
	tests/run unit $(BUILD)/unit
	tests/run arrows tools/arrows
	tests/run man tests/man $(BUILD)/man
	tests/run golden tests/golden/run $(PROGRAM)
	tests/run --sum

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)

# One page for pmuprof and one for each command with prose in docs/man.
MAN_COMMANDS := $(filter-out pmuprof,$(patsubst docs/man/%.man,%,$(wildcard docs/man/*.man)))
MAN_PAGES := $(BUILD)/man/pmuprof.1 $(MAN_COMMANDS:%=$(BUILD)/man/pmuprof-%.1)

$(BUILD)/man/pmuprof.1: docs/man/pmuprof.man $(PROGRAM) tools/man
	@mkdir -p $(@D)
	tools/man ./$(PROGRAM) > $@

$(BUILD)/man/pmuprof-%.1: docs/man/%.man $(PROGRAM) tools/man
	@mkdir -p $(@D)
	tools/man ./$(PROGRAM) $* > $@

man: $(MAN_PAGES)

PREFIX ?= /usr/local

install: $(PROGRAM) man
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/pmuprof
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(MAN_PAGES) $(DESTDIR)$(PREFIX)/share/man/man1

lint:
	tools/lint

clean:
	rm -rf build build-* pmuprof

.PHONY: all check check-quick clean fuzzers install lint man oracles unit
