#!/usr/bin/env bats
# pmuprof record: the program and its exit status, the file, the events, what is lost, how it ends.

load lib

setup_file() { begin_file; }

setup() { cd "$BATS_TEST_TMPDIR"; }

# --- the program

@test "the program's exit status becomes record's" {
	pmuprof record -e cpu-clock -o a.data sh -c 'exit 7'
	[ "$status" = 7 ]
	pmuprof record -e cpu-clock -o a.data true
	[ "$status" = 0 ]
}

@test "a program that a signal kills ends record as it would end a shell" {
	pmuprof record -e cpu-clock -o a.data sh -c 'kill -9 $$'
	[ "$status" = 137 ]
}

@test "a program that does not exist is one line and 127" {
	pmuprof record -e cpu-clock -o a.data ./no-such-program
	refused 127 no-such-program
	pmuprof record -e cpu-clock -o a.data no-such-program-in-path
	refused 127 no-such-program-in-path
}

@test "a program that may not be executed is one line and 126" {
	echo text >plain-text
	pmuprof record -e cpu-clock -o a.data ./plain-text
	refused 126 plain-text
	mkdir folder
	pmuprof record -e cpu-clock -o a.data ./folder
	refused 126 folder
}

@test "a program that cannot be run leaves an earlier recording in place" {
	build shares
	pmuprof record -e cpu-clock -o a.data "$program" 50
	cp a.data before
	pmuprof record -e cpu-clock -o a.data ./no-such-program
	[ "$status" = 127 ]
	cmp before a.data || cmp before a.data.old
}

@test "the program has record's own input, output and arguments" {
	run --separate-stderr bash -c 'echo input | "$0" record -o a.data sh -c "cat; echo \$1 \$2; echo oops >&2" x -o "two words"' "$PMUPROF"
	[ "$status" = 0 ]
	[ "$output" = $'input\n-o two words' ]
	[[ $stderr == *oops* ]]
}

@test "options end at the program's name or at --" {
	pmuprof record -e cpu-clock -o a.data echo -c 5 --bogus
	[ "$status" = 0 ]
	[ "$output" = "-c 5 --bogus" ]
	pmuprof record -e cpu-clock -o a.data -- echo -- x
	[ "$output" = "-- x" ]
}

@test "only the program is recorded, nothing of pmuprof and nothing of the time before exec" {
	build shares
	recorded shares -- "$program" 1000
	facts -s comm,dso -- \
		'{r["comm"] for r in rows} == {"shares"}' \
		'not [r for r in rows if "pmuprof" in r["dso"]]'
}

@test "the program's children are recorded too" {
	build shares
	recorded children -- sh -c "$program 300 & $program 300; wait"
	facts -s pid,comm -- \
		'len(named("comm", "shares")) == 2' \
		'all(r["samples"] > 100 for r in named("comm", "shares"))'
}

@test "no program is a matter of usage" {
	pmuprof record
	refused 2
	pmuprof record -e cpu-clock -o a.data
	refused 2
	[ ! -e a.data ]
}

# --- the file

@test "the default file is perf.data" {
	build shares
	pmuprof record "$program" 100
	[ "$status" = 0 ]
	[ -s perf.data ]
	pmuprof report --stdio
	[ "$status" = 0 ]
}

@test "the file is for its owner alone, whatever the umask" {
	(umask 0; "$PMUPROF" record -o a.data true 2>/dev/null)
	[ "$(stat -c %a a.data)" = 600 ]
}

@test "an existing file becomes FILE.old, also the second time" {
	echo first >a.data
	pmuprof record -o a.data true
	[ "$status" = 0 ]
	[ "$(cat a.data.old)" = first ]
	cp a.data second
	pmuprof record -o a.data true
	cmp second a.data.old
	[ "$(stat -c %a a.data)" = 600 ]
}

@test "a symlink at FILE is refused, its target untouched and the program not run" {
	echo precious >target
	ln -s target a.data
	pmuprof record -e cpu-clock -o a.data touch ran
	refused 1 a.data
	[ "$(cat target)" = precious ]
	[ -L a.data ]
	[ ! -e ran ]
}

@test "a symlink to nothing at FILE is refused and nothing made behind it" {
	ln -s nowhere a.data
	pmuprof record -e cpu-clock -o a.data touch ran
	refused 1 a.data
	[ ! -e nowhere ]
	[ ! -e ran ]
}

@test "a directory, a FIFO or a device at FILE is refused" {
	mkdir folder
	mkfifo pipe
	for file in folder pipe /dev/null; do
		pmuprof record -e cpu-clock -o "$file" touch ran
		refused 1 "$file"
	done
	[ -d folder ]
	[ -p pipe ]
	[ -c /dev/null ]
	[ ! -e ran ]
}

@test "a symlink at FILE.old is replaced, not followed" {
	echo precious >target
	ln -s target a.data.old
	echo first >a.data
	pmuprof record -o a.data true
	[ "$(cat target)" = precious ]
	[ ! -L a.data.old ] || [ "$status" = 1 ]
}

@test "a folder that does not exist is one line" {
	pmuprof record -e cpu-clock -o no/such/folder/a.data touch ran
	refused 1 no/such/folder/a.data
	[ ! -e ran ]
}

@test "a full disk is said, and no sample is claimed that is not in the file" {
	needs_root
	needs mount umount
	mkdir full
	mount -t tmpfs -o size=64k none full 2>/dev/null || skip "no tmpfs may be mounted"
	build shares
	pmuprof record -o full/a.data "$program" 600
	cp full/a.data kept.data
	umount full
	grep -qi 'no space' <<<"$stderr"
	data=kept.data
	facts -- 'samples > 0'
	[ "$(grep -oE '[0-9]+ samples' <<<"$stderr" | tail -1)" = "$(fact samples) samples" ]
}

@test "the last lines name samples, losses, size and the next command" {
	build shares
	recorded shares -- "$program" 1000
	grep -qE '[0-9]+ samples' "$data.err"
	grep -qiE 'lost' "$data.err"
	grep -qE '[0-9.]+ ?([kKMG]i?B|bytes)' "$data.err"
	grep -qE 'pmuprof report' "$data.err"
}

@test "the summary's samples are the report's" {
	build shares
	recorded shares -- "$program" 1000
	facts -- 'samples > 800'
	[ "$(grep -oE '[0-9]+ samples' "$data.err" | tail -1)" = "$(fact samples) samples" ]
}

@test "the next command that is named works as it stands" {
	build shares
	pmuprof record -o "a b.data" "$program" 100
	next=$(grep -oE 'pmuprof report.*' <<<"$stderr" | tail -1)
	run --separate-stderr bash -c "${next/pmuprof/\"\$0\"} | head -50" "$PMUPROF"
	[ "$status" = 0 ]
	grep -q hot_a <<<"$output"
}

# --- events

@test "without a PMU record steps down to cpu-clock and says so in one line" {
	needs_no_pmu
	needs_root
	build shares
	recorded shares -- "$program" 1000
	one_line "$(grep cycles "$data.err")" 'no PMU'
	grep -q cpu-clock "$data.err"
	facts -- 'ev["name"] == "cpu-clock"' 'ev["unit"] == "ns"' 'len(d["events"]) == 1'
}

@test "an event that was asked for and works needs no word" {
	pmuprof record -e cpu-clock -o a.data true
	[ -z "$(grep -E 'cycles|PMU' <<<"$stderr")" ]
}

@test "an event that was asked for and is not there is refused by name, not replaced" {
	needs_no_pmu
	pmuprof record -e instructions -o a.data touch ran
	refused 1 instructions
	[ ! -e ran ]
}

@test "an unknown event is refused by name" {
	pmuprof record -e no-such-event -o a.data touch ran
	[ "$status" = 2 ] || [ "$status" = 1 ]
	refused "$status" no-such-event
	[ ! -e ran ]
}

@test "an unknown modifier is refused by name" {
	pmuprof record -e cpu-clock:x -o a.data touch ran
	[ "$status" = 2 ] || [ "$status" = 1 ]
	refused "$status" cpu-clock:x
	[ ! -e ran ]
}

@test "each page fault is a sample with -e page-faults -c 1" {
	build faults
	data=faults.data
	pmuprof record -e page-faults -c 1 --call-graph=none -o "$data" "$program" 3000
	[ "$status" = 0 ]
	facts -s sym -- 'lost == 0' 'ev["name"] == "page-faults"' 'ev["unit"] == "events"' \
		'total("sym", "touch_pages") == 3000' 'total("sym", "touch_again") == 0' 'weight == samples'
}

@test "each page fault has its callers, or is counted as lost" {
	build faults
	data=faults.data
	pmuprof record -e page-faults -c 1 -o "$data" "$program" 300
	[ "$status" = 0 ]
	facts -s sym -g caller -- '300 <= samples + lost < 600' 'self_below("main", "touch_pages") * weight == total("sym", "touch_pages") > 200'
}

@test "software events can be named: task-clock, context-switches, minor-faults" {
	for event in task-clock context-switches minor-faults; do
		pmuprof record -e $event -c $([ $event = task-clock ] && echo 10000 || echo 1) -o $event.data sleep .01
		[ "$status" = 0 ]
		data=$event.data
		facts -- "ev['name'] == '$event'"
	done
}

@test ":u samples no kernel and :k nothing else" {
	needs_root
	build syscalls
	recorded kernel_only -e cpu-clock:k --call-graph=none -- "$program" 400
	"$PMUPROF" report --stdio -s s --no-children -i "$data" | text_rows >rows
	[ -s rows ]
	run ! grep -F '[.]' rows
	recorded user_only -e cpu-clock:u --call-graph=none -- "$program" 600
	"$PMUPROF" report --stdio -s s --no-children -i "$data" | text_rows >rows
	[ -s rows ]
	run ! grep -F '[k]' rows
}

@test "-c N makes every sample weigh N" {
	build shares
	recorded period -e cpu-clock -c 2000000 -- "$program" 600
	facts -- 'samples > 200' 'weight == samples * 2000000'
}

@test "four times the frequency makes more than three times the samples" {
	build shares
	data=low.data
	pmuprof record -e cpu-clock -F 500 -o low.data "$program" 500
	facts -- 'samples > 150'
	low=$(fact samples)
	data=high.data
	pmuprof record -e cpu-clock -F 2000 -o high.data "$program" 500
	facts -- "3 * $low < samples < 5 * $low"
}

@test "the default frequency is 999: as many samples as with -F 999" {
	build shares
	recorded shares -- "$program" 1000
	facts -- '800 < samples < 1100'
}

@test "a frequency above the kernel's limit is lowered to it with a note" {
	limit=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	[ "$limit" -lt 2000000 ] || skip "no limit to speak of"
	pmuprof record -e cpu-clock -F $((limit * 2)) --call-graph=none -o a.data true
	[ "$status" = 0 ]
	one_line "$(grep -F max_sample_rate <<<"$stderr")" "$limit"
}

@test "frequencies, counts, sizes and call graphs that mean nothing are matters of usage" {
	for bad in '-F 0' '-F x' '-F -5' '-c 0' '-c x' '-m 0' '-m x' '-m 1X' '-m 99999999999G' \
		'--call-graph=bogus' '--call-graph=cfi,0' '--call-graph=cfi,x' '--call-graph=cfi,99999999' '--no-such-option'; do
		pmuprof record $bad touch ran
		[ "$status" = 2 ] || { echo "record $bad: exit status $status"; echo "$stderr"; false; }
		[ -n "$stderr" ]
	done
	[ ! -e perf.data ]
}

@test "a usage error is one line that names what is wrong" {
	pmuprof record --no-such-option true
	refused 2 no-such-option
	pmuprof record --call-graph=bogus true
	refused 2 bogus
	pmuprof record -m 1X true
	refused 2 1X
	pmuprof record -e
	refused 2 -e
}

@test "ring sizes are bytes, with K, M or G" {
	for size in 262144 256K 1M; do
		pmuprof record -e cpu-clock -m $size -o a.data true
		[ "$status" = 0 ] || { echo "-m $size: $stderr"; false; }
	done
}

# --- call graphs

@test "-g is --call-graph=cfi, and so is the default" {
	build shares
	for options in -g --call-graph=cfi ''; do
		data=a.data
		pmuprof record -e cpu-clock:u $options -o "$data" "$program" 200
		facts -g caller -- 'complete == 1' 'children("main") > 0.99' 'self_below("main", "work", "middle", "hot_b") > 0.2'
	done
}

@test "--call-graph=none has no callers" {
	build shares
	recorded flat -e cpu-clock --call-graph=none -- "$program" 300
	facts -- 'all(r["children"] == r["self"] for r in rows)' 'share("main") < 0.02' 'share("hot_a") > 0.5'
}

@test "--call-graph=none files are a small part of cfi files" {
	build shares
	recorded flat -e cpu-clock --call-graph=none -- "$program" 300
	flat=$(stat -c %s "$data")
	recorded shares -- "$program" 1000
	[ $((flat * 4)) -lt "$(stat -c %s "$data")" ]
}

# --- losses

# A recorder that stands still loses samples: the ring cannot hold them.
@test "what a tiny ring loses is counted exactly: samples and lost make up the CPU time" {
	build shares
	"$PMUPROF" record -e cpu-clock -c 1000000 --call-graph=fp -m 8K -o lossy.data "$program" 1500 2>lossy.err 3>&- &
	recorder=$!
	sleep 0.4
	kill -STOP $recorder
	sleep 0.8
	kill -CONT $recorder
	wait $recorder
	data=lossy.data
	facts -- 'lost > 100' 'samples > 100' '0.85 * 1500 < samples + lost < 1.1 * 1500'
	grep -qE "\\b$(fact lost)\\b" lossy.err
	grep -qE "\\b$(fact samples) samples" lossy.err
}

@test "a flood of copies into a tiny ring is counted too, and the report's header says it" {
	build shares
	data=flood.data
	pmuprof record -e cpu-clock -c 50000 -m 128K --call-graph=cfi,32768 -o "$data" "$program" 300
	[ "$status" = 0 ]
	facts -- 'lost > 0' '0.7 * 6000 < samples + lost < 1.4 * 6000'
	"$PMUPROF" report --stdio -i "$data" | grep '^#' | grep -i lost | grep -qE "\\b$(fact lost)\\b"
}

@test "a ring of four copies keeps most of what comes one by one" {
	build shares
	data=narrow.data
	pmuprof record -e cpu-clock -c 1000000 -m 64K -o "$data" "$program" 500
	facts -- 'samples > lost'
}

@test "the default ring loses nothing" {
	build shares
	recorded shares -- "$program" 1000
	facts -- 'lost == 0'
}

# --- endings

interrupted() { # SIGNAL
	build shares
	env --default-signal="$1" "$PMUPROF" record -e cpu-clock -o signal.data "$program" 4000 2>signal.err 3>&- &
	recorder=$!
	sleep 0.9
	kill -s "$1" $recorder
	for _ in {1..100}; do
		kill -0 $recorder 2>/dev/null || break
		sleep 0.05
	done
	! kill -0 $recorder 2>/dev/null || { kill -9 $recorder; echo "still there after 5 s"; return 1; }
	wait $recorder || true
	data=signal.data
	run --separate-stderr "$PMUPROF" report --stdio -i "$data"
	[ "$status" = 0 ]
	[ -z "$stderr" ] || { echo "report: $stderr"; return 1; }
	facts -- 'samples > 100' 'share("hot_a") > 0.5'
	grep -qE "\\b$(fact samples) samples" signal.err
}

@test "SIGINT leaves a complete file and the summary" { interrupted INT; }
@test "SIGTERM leaves a complete file and the summary" { interrupted TERM; }
@test "SIGHUP leaves a complete file and the summary" { interrupted HUP; }

@test "after Ctrl-C, which the program gets too, record's status is the program's" {
	setsid env --default-signal=INT "$PMUPROF" record -e cpu-clock -o signal.data sh -c 'trap "exit 3" INT; while :; do :; done' 2>signal.err 3>&- &
	recorder=$!
	sleep 0.7
	kill -INT -- -$recorder
	status=0
	wait $recorder || status=$?
	[ "$status" = 3 ] || { echo "exit status $status"; cat signal.err; false; }
	data=signal.data
	facts -- 'samples > 100'
}

@test "a recorder that is killed leaves a readable file" {
	build shares
	"$PMUPROF" record -e cpu-clock -o killed.data sh -c 'echo $$ >program.pid; exec "$0" 6000' "$program" 2>/dev/null 3>&- &
	recorder=$!
	sleep 2.5
	kill -9 $recorder
	wait $recorder || true
	kill "$(cat program.pid)" || true
	data=killed.data
	pmuprof report --stdio -i "$data"
	[ "$status" = 0 ]
	facts -- 'samples > 500' 'share("hot_a") > 0.5' 'children("main") > 0.9'
}

@test "stock perf reads what a killed recorder left" {
	needs perf
	build shares
	"$PMUPROF" record -e cpu-clock --call-graph=fp -o killed.data sh -c 'echo $$ >program.pid; exec "$0" 6000' "$program" 2>/dev/null 3>&- &
	recorder=$!
	sleep 2.5
	kill -9 $recorder
	wait $recorder || true
	kill "$(cat program.pid)" || true
	[ "$(perf_samples killed.data)" -gt 500 ]
}

# --- an ordinary user

@test "an ordinary user records cpu-clock:u and is told why in one line" {
	needs_root
	needs_no_pmu
	needs setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip "perf_event_paranoid is not 2"
	build shares
	folder_for_nobody 777 "$program"
	run --separate-stderr as_nobody ./pmuprof record -o user.data ./shares 500 5
	[ "$status" = 5 ] || { echo "exit status $status: $stderr"; false; }
	one_line "$(grep -F 'cpu-clock:' <<<"$stderr" | grep -v samples)" paranoid sysctl
	data=user.data
	facts -- 'ev["name"] == "cpu-clock:u"' 'samples > 300' 'complete == 1' 'share("hot_a") > 0.5'
}

@test "an event that an ordinary user may not have is one line with its cure" {
	needs_root
	needs setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip "perf_event_paranoid is not 2"
	folder_for_nobody 777
	run --separate-stderr as_nobody ./pmuprof record -e cpu-clock:k -o user.data touch ran
	refused 1 cpu-clock:k paranoid
	[ ! -e ran ]
}

@test "an ordinary user's ring that is too large is one line, or is made smaller with a line" {
	needs_root
	needs setpriv
	folder_for_nobody 777
	run --separate-stderr as_nobody ./pmuprof record -e cpu-clock:u -m 64M -o user.data touch ran
	if [ "$status" = 0 ]; then
		[ -e ran ]
		grep -qiE 'mlock|ring' <<<"$stderr"
	else
		refused 1 mlock
		[ ! -e ran ]
	fi
}

@test "a folder that an ordinary user may not write to is one line" {
	needs_root
	needs setpriv
	folder_for_nobody 755
	run --separate-stderr as_nobody ./pmuprof record -e cpu-clock:u -o user.data touch ran
	refused 1 user.data "permission denied"
}
