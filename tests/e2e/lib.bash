# What the end-to-end tests share. The product is $PMUPROF; the programs that know the truth are in tests/programs.

bats_require_minimum_version 1.5.0

repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
programs=$repo/tests/programs
PMUPROF=$(realpath -m "${PMUPROF:-$repo/pmuprof}")
shared=$(realpath -m "${PMUPROF_SHARED:-$repo/../shared}")

begin_file() {
	[ -x "$PMUPROF" ] || { echo "no pmuprof at $PMUPROF (see \$PMUPROF)" >&2; return 1; }
	export LC_ALL=C HOME=$BATS_FILE_TMPDIR
	# the interpreter itself: where python3 is a shell script that looks for it, that takes longer than a report
	python=$(python3 -c 'import sys; print(sys.executable)')
	export python
}

needs() {
	local command
	for command; do
		type -P "$command" >/dev/null || skip "$command is not installed"
	done
}

needs_root() {
	[ "$(id -u)" = 0 ] || skip "only root may do this"
}

# needs_shared PATH...: files of ../shared
needs_shared() {
	local path
	for path; do
		[ -e "$shared/$path" ] || skip "no $path in $shared"
	done
}

# build NAME [SOURCE.c [FLAGS...]]: makes $NAME in the file's folder unless it is there, and sets $program.
build() {
	local name=$1 source=${2:-$1.c}
	program=$BATS_FILE_TMPDIR/$name
	[ -x "$program" ] || (cd "$BATS_FILE_TMPDIR" && gcc -O2 -g -pthread -o "$name" "$programs/$source" "${@:3}")
}

# recorded NAME [OPTIONS...] -- PROGRAM...: records once in a file of tests, and sets $data (and $data.err, $data.out).
recorded() {
	local options=()
	data=$BATS_FILE_TMPDIR/$1.data
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	if [ ! -e "$data.status" ]; then
		timeout 60 "$PMUPROF" record -o "$data" "${options[@]}" -- "$@" >"$data.out" 2>"$data.err" </dev/null && echo $? >"$data.status" || echo $? >"$data.status"
	fi
	[ -e "$data" ] || { echo "nothing recorded: record exited $(cat "$data.status")"; cat "$data.err"; return 1; }
}

# pmuprof ARGS...: status, $output and $stderr, by run.
pmuprof() {
	run --separate-stderr timeout 60 "$PMUPROF" "$@" </dev/null
}

# facts [REPORT OPTIONS...] -- EXPRESSION...: each is true of `report --json` of $data. See facts.py for the words.
facts() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	timeout 60 "$PMUPROF" report --json -i "$data" "${options[@]}" >"$BATS_TEST_TMPDIR/facts.json" </dev/null || { echo "report exited $?"; return 1; }
	"$python" "$BATS_TEST_DIRNAME/facts.py" "$BATS_TEST_TMPDIR/facts.json" "$@"
}

# fact EXPRESSION: its value, from the last facts.
fact() {
	"$python" "$BATS_TEST_DIRNAME/facts.py" --print "$BATS_TEST_TMPDIR/facts.json" "$1"
}

# The rows of a text report: no comments, no blank lines, no tree lines.
text_rows() {
	grep -E '^ +[0-9]+\.[0-9]+%' || true
}

# refused STATUS WORD...: the last `pmuprof` exited so, printed nothing, and said why in one line that holds each word.
refused() {
	local expected=$1 word
	shift
	[ "$status" = "$expected" ] || { echo "exit status $status, not $expected; stderr: $stderr"; return 1; }
	[ -z "$output" ] || { echo "printed: $output"; return 1; }
	one_line "$stderr" "$@"
}

# one_line TEXT WORD...: one line that holds each word (case does not matter).
one_line() {
	local text=$1 word
	shift
	[ "$(grep -c '' <<<"$text")" = 1 ] && [ -n "$text" ] || { echo "not one line: $text"; return 1; }
	for word; do
		grep -qiF -e "$word" <<<"$text" || { echo "no '$word' in: $text"; return 1; }
	done
}

# As an ordinary user, with nothing but what everybody may do.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"
}

# folder_for_nobody MODE FILE...: lets everybody into the test's folder, with pmuprof and the files in it.
folder_for_nobody() {
	chmod 711 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test"
	cp "$PMUPROF" "${@:2}" "$BATS_TEST_TMPDIR"
	chmod "$1" "$BATS_TEST_TMPDIR"
}

# The sample events that perf sees in $1.
perf_samples() {
	perf script -i "$1" -G -F event,ip --symfs /nonexistent 2>/dev/null </dev/null | grep -c .
}

# Machines with a PMU never take the ladder's lower steps.
needs_no_pmu() {
	[ ! -e /sys/bus/event_source/devices/cpu ] || skip "this machine has a PMU"
}
