#!/usr/bin/env bats
# pmuprof annotate: instructions, their shares and source lines; one objdump and no shell.

load lib

setup_file() { begin_file; }

setup() { cd "$BATS_TEST_TMPDIR"; }

shares() { build shares; recorded shares -- "$program"; }
division() { build division; recorded division -e cpu-clock -- "$program"; }

annotated() { # SYMBOL OPTIONS...: instruction lines of $data as "PERCENT ADDRESS TEXT", no percentage as 0
	timeout 60 "$PMUPROF" annotate "$1" --stdio -i "$data" "${@:2}" >annotation || return 1
	sed -nE 's/^ *([0-9.]*) *: +([0-9a-f]+):[ \t]+(.*)$/\1 \2 \3/p' annotation | sed 's/^ /0 /'
}

@test "the hottest row of a division loop is the division or the one after it" {
	division
	annotated divide >rows
	[ "$(wc -l <rows)" -gt 5 ]
	hottest=$(sort -rn rows | head -1)
	at=$(awk '$3 ~ /^i?div/ { print NR; exit }' rows)
	sed -n "$at,$((at + 1))p" rows | grep -qxF "$hottest"
	[ "$(sed -n "$at,$((at + 1))p" rows | awk '{ sum += $1 } END { print (sum > 90) }')" = 1 ]
}

@test "the percentages of a function add up to 100" {
	shares
	annotated hot_a >rows
	awk '{ sum += $1 } END { exit !(sum > 99.5 && sum < 100.5) }' rows
}

@test "source lines stand between the instructions they made" {
	division
	annotated divide >rows
	grep -v '^#' annotation >body
	grep -qF 'x = x / by; /* the division */' body
	grep -A1 -F 'the division */' body | grep -qE ': +[0-9a-f]+:.*(div|xor|mov|cqto)'
}

@test "instructions without samples are there too: from the symbol's start to its end" {
	division
	annotated divide >rows
	objdump -d --no-show-raw-insn "$program" | sed -n '/<divide>:/,/^$/p' | grep -E '^ +[0-9a-f]+:' >expected
	[ "$(wc -l <rows)" = "$(wc -l <expected)" ]
	[ "$(awk '{ print $2 }' rows)" = "$(awk '{ sub(":", "", $1); print $1 }' expected)" ]
}

@test "--raw adds the bytes, and without it there are none" {
	division
	annotated divide >plain
	annotated divide --raw >raw
	awk '$3 ~ /^i?div/ { exit 1 }' raw
	grep -qE ' ([0-9a-f]{2} )*f7 f[0-9a-f] .*div' raw
	[ "$(wc -l <raw)" = "$(wc -l <plain)" ]
}

@test "weights of the instructions are those of the samples, address by address" {
	needs perf
	build fixed_shares shares.c -no-pie
	recorded fixed_shares -e cpu-clock --call-graph=none -- "$program"
	facts -s sym -- 'rows'
	self=$(fact 'sum(r["self"] for r in named("sym", "hot_a"))')
	annotated hot_a >rows
	perf script -i "$data" -F ip,period,sym 2>/dev/null | awk '$3 == "hot_a" { w[$2] += $1 } END { for (a in w) print a, w[a] }' >weights
	[ "$(awk '{ sum += $2 } END { printf "%.0f", sum }' weights)" = "$self" ]
	"$python" - "$self" <<-'PY'
		import sys
		shown = {a: float(p) for p, a in (line.split()[:2] for line in open("rows"))}
		for address, weight in (line.split() for line in open("weights")):
		    percent = 100 * int(weight) / int(sys.argv[1])
		    assert abs(shown[address.lstrip("0")] - percent) < .0051, (address, shown, percent)
	PY
}

@test "a function that is only called, by others' time, has no rows above 0" {
	shares
	pmuprof annotate middle --stdio -i "$data"
	[ "$status" = 0 ] || refused 1 middle
}

@test "stripped code can be annotated by the name that report gave it" {
	build stripped shares.c -s
	recorded stripped -- "$program"
	facts -s sym -- 'rows'
	name=$(fact 'max(rows, key=lambda r: r["self"])["sym"]')
	annotated "$name" >rows
	grep -q imul rows
	awk '{ sum += $1 } END { exit !(sum > 99.5) }' rows
}

@test "static and non-PIE programs and shared libraries can be annotated" {
	build static_shares shares.c -static
	recorded static_shares -- "$program" 500
	annotated hot_a >rows
	grep -q imul rows
	awk '{ sum += $1 } END { exit !(sum > 99.5) }' rows
	build libpltlib.so pltlib.c -shared -fPIC
	build pltcall pltcall.c "$BATS_FILE_TMPDIR/libpltlib.so"
	recorded pltcall -- "$program" 500
	annotated foreign >rows
	grep -q ret rows
	awk '{ sum += $1 } END { exit !(sum > 99.5) }' rows
}

@test "a PLT stub can be annotated" {
	build libpltlib.so pltlib.c -shared -fPIC
	build pltcall pltcall.c "$BATS_FILE_TMPDIR/libpltlib.so"
	recorded pltcall -- "$program" 500
	annotated foreign@plt >rows
	grep -q jmp rows
}

@test "annotate starts one objdump and nothing else" {
	needs strace
	division
	strace -f -o trace -e trace=execve "$PMUPROF" annotate divide --stdio -i "$data" >/dev/null
	# the search of PATH may try several places
	grep -c 'execve(.*= 0$' trace >count || true
	[ "$(cat count)" -le 2 ]
	run ! grep -qE 'execve\("[^"]*/(sh|bash|dash)"' trace
}

@test "names and paths never reach a shell" {
	build shares
	mkdir 'a; touch pwned;'
	cp "$program" 'a; touch pwned;/$(touch pwned) `touch pwned`'
	data=$PWD/odd.data
	pmuprof record -e cpu-clock -o odd.data './a; touch pwned;/$(touch pwned) `touch pwned`' 300
	[ "$status" = 0 ]
	annotated hot_a >rows
	grep -q imul rows
	pmuprof annotate '$(touch pwned)' --stdio -i odd.data
	refused 1
	[ ! -e pwned ]
}

@test "a symbol that does not exist is one line" {
	shares
	pmuprof annotate no_such_function --stdio -i "$data"
	refused 1 no_such_function
}

@test "without a symbol the function with the most samples is annotated" {
	shares
	timeout 60 "$PMUPROF" annotate --stdio -i "$data" | head -1 >first
	grep -q '^# hot_a ' first
}

@test "two symbols and unknown options are matters of usage" {
	shares
	pmuprof annotate hot_a hot_b --stdio -i "$data"
	refused 2
	pmuprof annotate hot_a --stdio -i "$data" --bogus
	refused 2 bogus
}

@test "a program that is gone cannot be annotated, and the line names it" {
	build shares
	cp "$program" gone
	data=gone.data
	pmuprof record -e cpu-clock -o gone.data ./gone 200
	rm gone
	pmuprof annotate hot_a --stdio -i gone.data
	refused 1 hot_a
}

@test "a program that was rebuilt since is not shown for the old one" {
	build other shares.c -O1 -DREBUILT
	build shares
	cp "$program" replaced
	data=replaced.data
	pmuprof record -e cpu-clock -o replaced.data ./replaced 200
	cp "$BATS_FILE_TMPDIR/other" new
	mv new replaced
	pmuprof annotate hot_a --stdio -i replaced.data
	refused 1
}

@test "a program that may not be read is named with its cause" {
	needs_root
	needs setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "perf_event_paranoid is above 2"
	build shares
	folder_for_nobody 777 "$program"
	data=user.data
	as_nobody ./pmuprof record -e cpu-clock:u -o user.data ./shares 300
	chmod 700 shares
	chown 0:0 shares
	run --separate-stderr as_nobody ./pmuprof annotate hot_a --stdio -i user.data
	refused 1
	run --separate-stderr as_nobody ./pmuprof report --stdio -i user.data
	[ "$status" = 0 ]
}

@test "without objdump annotate still says something of use, in one line at least" {
	division
	mkdir empty
	run --separate-stderr env PATH="$PWD/empty" "$PMUPROF" annotate divide --stdio -i "$data"
	[ "$status" = 0 ] || refused 1 objdump
}

@test "a kernel function is annotated or refused in one line" {
	needs_root
	build syscalls
	recorded syscalls -- "$program" 500
	facts -s sym,dso -- 'rows'
	name=$(fact '(max((r for r in rows if "kernel" in r["dso"]), key=lambda r: r["self"]) if [r for r in rows if "kernel" in r["dso"]] else {"sym": ""})["sym"]')
	[ -n "$name" ]
	pmuprof annotate "$name" --stdio -i "$data"
	[ "$status" = 0 ] || refused 1 "$name"
}

@test "annotate reads perf.data when no file is named" {
	division
	cp "$data" perf.data
	[ "$("$PMUPROF" annotate divide --stdio)" = "$("$PMUPROF" annotate divide --stdio -i "$data")" ]
}
