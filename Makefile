# pmuprof. `make` leaves ./pmuprof; `make check` runs all tests (tools/check installs what they need first).
#
# SAN=address,undefined  sanitizers        COV=1  line coverage
# WERROR=1               warnings fail     CC=…   another compiler

BUILD := build$(if $(SAN),-san)$(if $(COV),-cov)
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

clean:
	rm -rf build build-san build-cov build-san-cov pmuprof

.PHONY: all clean install man oracles
