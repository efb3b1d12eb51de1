#!/usr/bin/env bats
# Cross-checks: stock perf and hotspot read our files, we read stock perf's, and the numbers are the same.

load lib

setup_file() { begin_file; }

setup() {
	cd "$BATS_TEST_TMPDIR"
	needs perf
}

# The sum of a perf report's sample column.
perf_report_samples() {
	perf report -i "$1" --stdio -n -g none --no-children -s comm,dso,sym 2>/dev/null </dev/null |
		awk '/^ +[0-9.]+%/ { sum += $2 } END { print sum + 0 }'
}

# Samples and their weight, as perf script has them.
perf_script_sums() {
	perf script -i "$1" -G -F event,period 2>/dev/null </dev/null | awk '{ sum += $1 } END { printf "%d %.0f\n", NR, sum }'
}

# perf recording NAME OPTIONS... -- PROGRAM...: sets $data
perf_recorded() {
	local options=()
	data=$BATS_FILE_TMPDIR/perf-$1.data
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	[ -e "$data" ] || perf record -q -o "$data" "${options[@]}" -- "$@" >/dev/null 2>&1 </dev/null ||
		[ -s "$data" ] || skip "perf cannot record ${options[*]}"
}

# perf and we see as many samples of the same weight in $data
agree() {
	facts "$@" -- 'samples > 0' || return 1
	local ours theirs
	ours=$(fact '"%d %d" % (sum(e["samples"] for e in d["events"]), sum(e["weight"] for e in d["events"]))')
	theirs=$(perf_script_sums "$data")
	# samples without a period of their own
	[ "$theirs" != "0 0" ] || theirs="$(perf_samples "$data") ${ours#* }"
	[ "$ours" = "$theirs" ] || { echo "samples and weight: perf script $theirs, we $ours"; return 1; }
	theirs=$(perf_report_samples "$data")
	[ "${ours% *}" = "$theirs" ] || { echo "samples: perf report $theirs, we ${ours% *}"; return 1; }
}

# The three hottest named functions of perf are ours, sample by sample.
same_rows() {
	facts -s comm,sym -- 'rows' || return 1
	perf report -i "$data" --stdio -n -g none --no-children -s comm,sym 2>/dev/null </dev/null |
		awk '/^ +[0-9.]+%/ && $2 >= 10 && $5 !~ /^0x/ { sub(/@.*/, "", $5); print $3, $2, $5 }' | head -3 >theirs
	[ -s theirs ] || { echo "perf has no rows"; return 1; }
	while read -r comm samples sym; do
		[ "$(fact "sum(r['samples'] for r in rows if r['comm'] == '$comm' and r['sym'] == '$sym')")" = "$samples" ] || {
			echo "$comm $sym: perf has $samples samples, we have $(fact "[r for r in rows if r['sym'] == '$sym']")"
			return 1
		}
	done <theirs
}

# --- perf reads our files

@test "perf reads our stack-copy file: samples, weight, functions" {
	build shares
	recorded shares -- "$program" 800
	agree
	same_rows
}

@test "perf unwinds our stack copies to main" {
	build shares
	recorded shares -- "$program" 800
	perf report -i "$data" --stdio --children -g none -s sym 2>/dev/null | awk '$NF == "main" { ok = $1 + 0 > 98 } END { exit !ok }'
}

@test "perf reads our frame-pointer file: samples, weight, functions" {
	build fp_shares shares.c -O0 -fno-omit-frame-pointer
	recorded fp --call-graph=fp -- "$program" 800
	agree
	same_rows
}

@test "perf reads our file without call graph: samples, weight, functions" {
	build shares
	recorded flat --call-graph=none -- "$program" 800
	agree
	same_rows
}

@test "perf reads our file of counted events: samples and weight" {
	build faults
	recorded faults -e page-faults -c 1 -- "$program" 2000
	agree
	build shares
	recorded period -e cpu-clock -c 3000000 -- "$program" 200
	agree
}

@test "perf reads our files of programs with children, threads and execs" {
	build pair
	recorded pair -- "$program" 400
	agree
	same_rows
	build shares
	recorded shell -- sh -c "$program 300 & $program 300; wait"
	agree
	same_rows
}

@test "perf reads our file after losses" {
	build shares
	recorded lossy -e cpu-clock -c 50000 -m 64K --call-graph=cfi,32768 -- "$program" 200
	facts -- 'lost > 0'
	agree
}

@test "perf finds nothing to complain about in our header" {
	build shares
	recorded shares -- "$program" 800
	perf report -i "$data" --header-only >header 2>complaints
	[ ! -s complaints ]
	grep -q "hostname : $(hostname)" header
	grep -q 'cmdline : .*record' header
	perf evlist -i "$data" | grep -q clock
	perf buildid-list -i "$data" | grep -q shares
}

@test "perf script's times, threads and CPUs of our samples are in order" {
	build pair
	recorded pair -- "$program" 400
	perf script -i "$data" -G -F tid,cpu,time 2>/dev/null | tr -d '[]:' >fields
	[ -s fields ]
	awk '{ print $3 }' fields | sort -c -n
	awk -v cpus="$(nproc --all)" '$2 >= cpus { exit 1 }' fields
}

@test "hotspot-perfparser reads our files with the same sample counts" {
	parser=${HOTSPOT_PERFPARSER:-/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser}
	[ -x "$parser" ] || skip "hotspot-perfparser is not installed"
	build shares
	for options in --call-graph=cfi --call-graph=fp --call-graph=none; do
		recorded "hotspot$options" $options -- "$program" 200
		facts -- 'samples'
		timeout 30 "$parser" --input "$data" --output parsed >/dev/null 2>&1
		"$python" - "$(fact samples)" <<-'PY'
			import struct, sys
			data = open("parsed", "rb").read()
			at, samples = len(b"QPERFSTREAM\0") + 4, 0
			while at + 4 <= len(data):
			    samples += data[at + 4] == 13  # Sample
			    at += 4 + struct.unpack_from("<I", data, at)[0]
			assert samples == int(sys.argv[1]), (samples, sys.argv[1])
		PY
	done
}

# --- we read perf's files

@test "we read perf's file without call graph as perf does" {
	build shares
	perf_recorded flat -e cpu-clock -F 999 -- "$program" 600
	agree
	same_rows
}

@test "we read perf's frame-pointer file as perf does" {
	build fp_shares shares.c -O0 -fno-omit-frame-pointer
	perf_recorded fp -e cpu-clock -F 999 -g -- "$program" 600
	agree
	same_rows
	facts -g caller -- 'near(children("main"), 1, 1)' 'self_below("main", "work", "middle") > .3'
}

@test "we read perf's stack-copy file as perf does, and unwind it" {
	build shares
	perf_recorded dwarf -e cpu-clock -F 999 --call-graph dwarf,16384 -- "$program" 800
	agree
	same_rows
	facts -g caller -- 'complete > .99' 'near(self_below("_start", "main", "work", "middle", "hot_b"), .3, 4)'
}

@test "callers' shares in perf's frame-pointer file are perf's, within half a point" {
	build fp_shares shares.c -O0 -fno-omit-frame-pointer
	perf_recorded fp -e cpu-clock -F 999 -g -- "$program" 600
	facts -s sym -- 'rows'
	for sym in main work middle hot_a; do
		theirs=$(perf report -i "$data" --stdio --children -g none -s sym 2>/dev/null | awk -v sym=$sym '$NF == sym { print $1 + 0 }')
		[ "$(fact "near(children('$sym'), $theirs / 100, .5)")" = True ]
	done
}

@test "where perf's stack-copy file reaches main in perf, it does so with us" {
	build recursion
	perf_recorded recursion -e cpu-clock -F 999 --call-graph dwarf,32768 -- "$program" 20 600
	agree
	facts -g caller -- 'complete > .99' 'path().count("descend") == 21'
}

@test "cut stacks of perf's stack-copy file are marked" {
	build recursion
	perf_recorded cut -e cpu-clock -F 999 --call-graph dwarf,8192 -- "$program" 60 400
	agree
	facts -- 'unwind.get("copy_short", 0) > .95 * samples'
}

@test "we read perf's file of several events: each event's samples and weight" {
	build faults
	perf_recorded events -e cpu-clock,page-faults -c 1000 -- "$program" 20000
	agree
	facts -- '[e["name"].split(":")[0] for e in d["events"]] == ["cpu-clock", "page-faults"]'
	for i in 0 1; do
		name=$(fact "d['events'][$i]['name']")
		[ "$(fact "d['events'][$i]['samples']")" = "$(perf script -i "$data" -G -F event,ip 2>/dev/null | grep -c "$name")" ]
	done
}

@test "we read perf's system-wide file: comms and counts" {
	needs_root
	build shares
	perf_recorded wide -a -e cpu-clock -F 499 -g -- "$program" 500
	agree
	facts -s comm -- 'rows'
	theirs=$(perf report -i "$data" --stdio -n -g none --no-children -s comm 2>/dev/null | awk '/^ +[0-9.]+%/ && $3 == "shares" { print $2 }')
	[ "$(fact 'total("comm", "shares")')" = "$theirs" ]
}

@test "we read perf's files with read_format, build-ids in maps, namespaces, switches, other clocks, per-thread" {
	build shares
	for options in '-s --buildid-mmap' '--namespaces --switch-events' '-k CLOCK_MONOTONIC_RAW -d' '--per-thread --no-inherit -T -P --sample-cpu -B'; do
		perf_recorded "with${options// /}" -B -e cpu-clock $options -- "$program" 150
		agree || { echo "$options"; false; }
	done
}

@test "perf's row for a thread and a CPU is ours" {
	build pair
	perf_recorded pair -e cpu-clock -F 999 --sample-cpu -- "$program" 400
	agree -s tid
	perf script -i "$data" -F tid,event 2>/dev/null | awk '{ n[$1]++ } END { for (t in n) print t, n[t] }' >theirs
	[ -s theirs ]
	while read -r tid samples; do
		[ "$(fact "sum(r['samples'] for r in rows if str(r['tid']) == '$tid')")" = "$samples" ]
	done <theirs
	facts -s cpu -- 'rows'
	perf script -i "$data" -F cpu,event 2>/dev/null | tr -d '[]' | awk '{ n[$1 + 0]++ } END { for (c in n) print c, n[c] }' >theirs
	while read -r cpu samples; do
		[ "$(fact "sum(r['samples'] for r in rows if int(r['cpu']) == $cpu)")" = "$samples" ]
	done <theirs
}

@test "addresses of perf script and ours are in the same functions" {
	build shares
	perf_recorded flat -e cpu-clock -F 999 -- "$program" 600
	facts -s sym -- 'rows'
	perf script -i "$data" -F ip,sym 2>/dev/null | awk '{ n[$2]++ } END { for (s in n) if (s != "[unknown]") print s, n[s] }' >theirs
	[ -s theirs ]
	while read -r sym samples; do
		ours=$(fact "sum(r['samples'] for r in rows if r['sym'] == '$sym')")
		same=$((same + (ours == samples ? samples : 0)))
	done <theirs
	[ "$same" -gt "$(fact 'int(.98 * samples)')" ]
}
