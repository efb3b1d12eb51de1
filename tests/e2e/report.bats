#!/usr/bin/env bats
# pmuprof report: rows and their sums, sort keys, trees, filters, names, JSON.

load lib

setup_file() { begin_file; }

setup() { cd "$BATS_TEST_TMPDIR"; }

shares() { build shares; recorded shares -- "$program"; }
pair() { build pair; recorded pair -- "$program"; }

text() { # REPORT OPTIONS...: standard output of a text report of $data
	timeout 60 "$PMUPROF" report --stdio -i "$data" "$@"
}

# --- shares

@test "functions of 60, 30 and 10 % are shown within 3 points" {
	shares
	facts -- 'near(share("hot_a"), .6, 3)' 'near(share("hot_b"), .3, 3)' 'near(share("hot_c"), .1, 3)'
}

@test "callers have the time of what they call, once" {
	shares
	facts -- 'near(children("main"), 1, 1)' 'near(children("work"), 1, 1)' 'near(children("middle"), .4, 3)' \
		'share("main") < .02' 'share("middle") < .02' 'near(children("hot_a"), share("hot_a"), 3)'
}

@test "a recursive function has the time below it once, not once a level" {
	build recursion
	recorded recursion -- "$program" 20 400
	facts -- 'near(children("descend"), 1, 2)' 'share("descend") < .02'
}

@test "text has perf's columns: Children, Self, [.] or [k], Symbol" {
	shares
	text -s sym >out
	grep -qE '^# *Children +Self +Symbol' out
	text_rows <out >rows
	grep -qE '^ +[0-9.]+% +[0-9.]+% +\[\.\] hot_a$' rows
	run ! grep -vE '^ +[0-9.]+% +[0-9.]+% +\[[.k]\] .+' rows
}

@test "text shows the percentages of the JSON" {
	shares
	facts -s sym -- 'rows'
	read -r kids self _ <<<"$(text -s sym | text_rows | grep -w middle)"
	read -r kids2 self2 <<<"$(fact '"%.2f%% %.2f%%" % (100 * children("middle"), 100 * share("middle"))')"
	[ "$kids $self" = "$kids2 $self2" ]
}

@test "the header names event, samples, weight, losses and how the stacks ended" {
	shares
	facts -- 'samples'
	text | grep '^#' >header
	grep -q cpu-clock header
	grep -qE "\\b$(fact samples)\\b" header
	grep -qi 'lost' header
	grep -qi 'complete' header
	grep -qE "\\b$(fact weight)\\b" header || grep -qiE 'weight|event count' header
}

@test "a sound file is reported without a word on standard error" {
	shares
	pmuprof report --stdio -i "$data"
	[ "$status" = 0 ]
	[ -z "$stderr" ]
}

@test "the same file makes the same report" {
	shares
	text -g caller >one
	text -g caller >two
	cmp one two
}

@test "a program that lives in system calls shows [k] rows with -s s" {
	needs_root
	build syscalls
	recorded syscalls -- "$program"
	text -s s --no-children | text_rows >rows
	awk '/\[k\]/ { kernel += $1 } END { exit !(kernel > 80) }' rows
}

@test "kernel functions have names" {
	needs_root
	[ "$(cat /proc/sys/kernel/kptr_restrict)" = 0 ] || skip "kptr_restrict hides kernel addresses"
	build syscalls
	recorded syscalls -- "$program"
	text -s s --no-children | text_rows | grep -F '[k]' >rows
	awk '/\[k\] [a-zA-Z_][a-zA-Z0-9_.]*$/ { named += $1 } { all += $1 } END { exit !(named > .98 * all) }' rows
}

@test "kernel functions are called by the program's" {
	needs_root
	build syscalls
	recorded syscalls -- "$program"
	facts -g caller -- 'children("reader") > .97' 'share("reader") < .05' 'self_below("main", "reader", "do_syscall_64") > .7'
}

# --- order, columns, limits

@test "rows come by Children, and by Self with --no-children" {
	shares
	text | text_rows | awk '{ print $1 + 0 }' | sort -c -rn
	text --no-children | text_rows | awk '{ print $1 + 0 }' | sort -c -rn
}

@test "--no-children has one percentage a row, and they add up to 100" {
	shares
	text --no-children -s sym >out
	run ! grep -q Children out
	text_rows <out >rows
	run ! grep -E '^ +[0-9.]+% +[0-9.]+%' rows
	awk '{ sum += $1 } END { exit !(sum > 99 && sum < 101) }' rows
}

@test "--percent-limit hides the rows below it and no others" {
	shares
	text --no-children --percent-limit 20 -s sym | text_rows >rows
	[ "$(awk '{ print $3 }' rows)" = $'hot_a\nhot_b' ]
	text --percent-limit 35 -s sym | text_rows >rows
	grep -qw middle rows
	run ! grep -w hot_b rows
}

@test "-s sym is the default's last key and can be written s" {
	shares
	[ "$(text -s s)" = "$(text -s sym)" ]
	text | text_rows | grep -qE '\[\.\] hot_a$'
}

@test "sort keys may be abbreviated to what is left clear" {
	shares
	for pair in com:comm t:tid pi:pid d:dso sr:srcline cp:cpu 'com,d,s:comm,dso,sym'; do
		[ "$(text -s "${pair%:*}" --no-children)" = "$(text -s "${pair#*:}" --no-children)" ] || { echo "$pair"; false; }
	done
}

# Functions of one name in two places stay two rows; all other keys make rows unique.
@test "rows of every combination of sort keys add up to the weight and the samples" {
	pair
	for keys in comm pid tid dso sym srcline cpu sym,comm cpu,tid comm,pid,tid,dso,sym,srcline,cpu; do
		facts -s $keys -- 'sum(r["self"] for r in rows) == weight' 'sum(r["samples"] for r in rows) == samples' \
			"all(set('$keys'.split(',')) <= set(r) for r in rows)" \
			"'sym' in '$keys' or len({tuple(r[k] for k in '$keys'.split(',')) for r in rows}) == len(rows)" ||
			{ echo "$keys"; false; }
	done
}

@test "a row has the sort keys that were asked for and no others" {
	pair
	facts -s comm,tid -- 'all(set(r) - {"guessed"} == {"self", "children", "samples", "comm", "tid"} for r in rows)'
}

@test "two threads of equal work are two rows of half each, by comm and by tid" {
	pair
	facts -s comm -- 'all(abs(sum(r["self"] for r in named("comm", n)) / weight - .5) < .04 for n in ("alpha", "beta"))'
	facts -s tid -- 'len([r for r in rows if .46 < r["self"] / weight < .54]) == 2'
	facts -s pid -- 'len(rows) == 1'
}

@test "a forked child has its parent's maps and a row of its own" {
	build forks
	recorded forks -- "$program"
	facts -s pid,sym -- 'near(share("child_work"), .5, 4)' 'near(share("parent_work"), .5, 4)' \
		'named("sym", "child_work")[0]["pid"] != named("sym", "parent_work")[0]["pid"]' 'complete > .99'
}

@test "srcline rows name the lines that took the time" {
	shares
	line() { grep -n "void $1(" "$programs/shares.c" | cut -d: -f1; }
	facts -s srcline -- "near(sum(r['self'] for r in rows if r['srcline'].endswith('shares.c:$(line hot_a)')) / weight, .6, 3)" \
		"near(sum(r['self'] for r in rows if r['srcline'].endswith('shares.c:$(line hot_b)')) / weight, .3, 3)"
	text -s srcline --no-children | text_rows | head -1 | grep -q "shares.c:$(line hot_a)"
}

@test "cpu rows are the machine's CPUs" {
	pair
	facts -s cpu -- "all(0 <= int(r['cpu']) < $(nproc --all) for r in rows)"
}

@test "an unknown sort key is a matter of usage, by name" {
	shares
	pmuprof report --stdio -i "$data" -s bogus
	refused 2 bogus
	pmuprof report --stdio -i "$data" -s sym,bogus
	refused 2 bogus
	pmuprof report --stdio -i "$data" -s ''
	refused 2
}

@test "options that do not exist or mean nothing are matters of usage" {
	shares
	for bad in --bogus '-g bogus' '--percent-limit x' '--tid x' '-i' '-s'; do
		pmuprof report --stdio -i "$data" $bad
		refused 2 || { echo "report $bad"; false; }
	done
}

# --- trees

@test "-g caller is a tree from the outermost caller, whose sums hold at every node" {
	shares
	facts -g caller -- 'sum(n["total"] for n in tree) == weight' \
		'all(n["total"] == n["self"] + sum(c["total"] for c in n.get("nodes", ())) for _, n in nodes())' \
		'path()[0] == "_start"' 'path()[-3:] == ["main", "work", "hot_a"]' \
		'near(self_below("_start", "main", "work", "middle", "hot_b"), .3, 3)' \
		'self_below("hot_a", "work") == 0' 'sum(n["self"] for _, n in nodes()) == weight'
}

@test "-g callee is a tree from the leaf" {
	shares
	facts -g callee -- 'sum(n["total"] for n in tree) == weight' 'path()[:3] == ["hot_a", "work", "main"]' 'path()[-1] == "_start"' \
		'all(near(n["total"] / weight, share(n["sym"]), .01) for n in tree if n["sym"].startswith("hot_"))'
}

@test "-g caller shows in text who calls whom" {
	shares
	text -g caller -s sym >out
	# below main's own row its callees, outermost first
	sed -n '/ main$/,/^$/p' out | tr '\n' ' ' | grep -qE 'work.*(hot_a.*middle|middle.*hot_a)'
}

@test "-g callee shows in text by whom a leaf was called" {
	shares
	text -g callee --no-children -s sym >out
	sed -n '/ hot_b$/,/ hot_c$/p' out | tr '\n' ' ' | grep -qE 'hot_b.*middle.*work.*main'
}

@test "-g none shows no tree" {
	shares
	text -g none -s sym | grep -vE '^#|^$' >out
	text_rows <out | cmp - out
}

# --- filters

@test "--comm, --tid, --dso and --sym keep what they name and nothing else" {
	pair
	facts --comm alpha -s comm,sym -- 'rows' 'all(r["comm"] == "alpha" for r in rows)' 'named("sym", "alpha_work")' 'not named("sym", "beta_work")'
	facts -s comm,tid -- 'rows'
	tid=$(fact 'max(named("comm", "beta"), key=lambda r: r["self"])["tid"]')
	facts --tid "$tid" -s comm,tid -- 'rows' "all(str(r['tid']) == '$tid' for r in rows)"
	facts --dso pair -s dso,sym -- 'rows' 'all("pair" in r["dso"] for r in rows if r["self"])' 'named("sym", "alpha_work")'
	facts --sym alpha_work -s sym -- 'sum(r["self"] for r in rows) > 0' 'all(r["sym"] == "alpha_work" for r in rows if r["self"])'
}

@test "the samples that --comm keeps for each name add up to all" {
	pair
	facts -s comm -- 'rows'
	all=$(fact samples)
	sum=0
	for comm in $(fact '" ".join(r["comm"] for r in rows)'); do
		facts --comm "$comm" -s comm -- 'sum(r["samples"] for r in rows)'
		sum=$((sum + $(fact 'sum(r["samples"] for r in rows)')))
	done
	[ "$sum" = "$all" ]
}

@test "filters work in text too" {
	pair
	text --comm alpha -s sym --no-children >out
	grep -q alpha_work out
	run ! grep -q beta_work out
}

@test "a filter that keeps nothing is an empty table, not a failure" {
	pair
	pmuprof report --stdio -i "$data" --comm nobody-of-that-name
	[ "$status" = 0 ]
	[ -z "$(text_rows <<<"$output")" ]
}

# --- JSON

@test "JSON has the frozen keys, with integers where integers are promised" {
	shares
	facts -s comm,sym -g caller -- 'd["version"] == 1' '"coverage" in d' 'd["coverage"] is None or .8 < d["coverage"] < 1.2' \
		'{"name", "unit", "samples", "weight", "lost", "unwind", "rows", "tree"} <= set(ev)' \
		'all(type(ev[k]) is int for k in ("samples", "weight", "lost"))' \
		'all(type(r[k]) is int for r in rows for k in ("self", "children", "samples"))' \
		'all({"sym", "dso", "self", "total"} <= set(n) and type(n["self"]) is type(n["total"]) is int for _, n in nodes())' \
		'all(type(v) is int for v in unwind.values())' 'sum(unwind.values()) == samples' \
		'set(unwind) <= set("complete copy_short depth_limit no_cfi bad_cfi no_register stack_switch no_map uretprobe tainted guessed".split())'
}

@test "JSON is one line or more of nothing but JSON, and nothing on standard error" {
	shares
	pmuprof report --json -i "$data"
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	"$python" -m json.tool >/dev/null <<<"$output"
}

# --- names

@test "a name with newline, ESC and quotes reaches no terminal and breaks no row" {
	build named
	recorded named -- "$program"
	text -s comm,sym >out
	run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' out
	[ "$(text_rows <out | grep -c ' spin_named$')" = 1 ]
	facts -s comm,sym -- 'share("spin_named") > .9' 'named("sym", "spin_named")[0]["comm"].startswith("n")'
	run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' facts.json
}

@test "a path with ESC and newline reaches no terminal" {
	build shares
	odd=$BATS_TEST_TMPDIR/$'a\e[31m\nb'
	cp "$program" "$odd"
	data=odd.data
	pmuprof record -e cpu-clock -o odd.data "$odd" 300
	[ "$status" = 0 ]
	run ! grep -qP '\x1b' <<<"$stderr"
	text -s dso,sym >out
	run ! grep -qP '\x1b' out
	grep -q hot_a out
	facts -s dso,sym -- 'share("hot_a") > .4'
	run ! grep -qP '\x1b' facts.json
}

@test "stripped code is one row for each function, by its FDE" {
	build stripped shares.c -s
	recorded stripped -- "$program"
	facts -s sym -- '[round(r["self"] / weight * 10) for r in sorted(rows, key=lambda r: -r["self"])[:3]] == [6, 3, 1]' \
		'all(__import__("re").fullmatch("stripped!func_0x[0-9a-f]+", r["sym"]) for r in sorted(rows, key=lambda r: -r["self"])[:3])' \
		'complete > .99'
}

@test "a PLT stub is named after what it calls" {
	build libpltlib.so pltlib.c -shared -fPIC
	build pltcall pltcall.c "$BATS_FILE_TMPDIR/libpltlib.so" -Wl,-z,lazy
	recorded pltcall -- "$program"
	facts -g caller -s sym -- 'share("foreign@plt") > .05' 'share("_init") == 0' 'complete > .99' \
		'near(self_below("main", "caller", "foreign@plt"), share("foreign@plt"), 1)'
}

@test "a .plt.sec stub is named after what it calls" {
	build libpltlib.so pltlib.c -shared -fPIC
	build pltsec pltcall.c "$BATS_FILE_TMPDIR/libpltlib.so" -fcf-protection -Wl,-z,ibtplt
	recorded pltsec -- "$program"
	facts -g caller -s sym -- 'share("foreign@plt") > .05' 'share("_init") == 0' 'complete > .99' \
		'near(self_below("main", "caller", "foreign@plt"), share("foreign@plt"), 1)'
}

@test "a PLT stub of a C++ function is named as people write it" {
	needs g++
	cd "$BATS_FILE_TMPDIR"
	g++ -x c++ -O2 -g -shared -fPIC "$programs/pltlib.c" -o libpltcxx.so
	g++ -x c++ -O2 -g "$programs/pltcall.c" -x none -o pltcxx ./libpltcxx.so
	recorded pltcxx -- ./pltcxx 500
	facts -s sym -- 'share("foreign()@plt") > .05' 'share("foreign()") > .05' 'not [r for r in rows if r["sym"].startswith("_Z")]'
}

@test "the vdso's functions have names and callers" {
	build clock
	recorded clock -- "$program"
	facts -g caller -s sym -- 'sum(r["self"] for r in rows if "clock_gettime" in r["sym"]) / weight > .5' 'complete > .99' \
		'sum(n["self"] for p, n in nodes() if "asks" in p and "vdso" in n["dso"]) / weight > .4'
}

@test "a debug file found by build-id gives a stripped program its names and lines" {
	needs_root
	needs objcopy readelf
	build stripped_later shares.c -Wl,--build-id
	cp "$program" with-debug
	strip -s -o stripped-later "$program"
	id=$(readelf -n with-debug | awk '/Build ID/ { print $3 }')
	folder=/usr/lib/debug/.build-id/${id:0:2}
	debug_file=$folder/${id:2}.debug
	[ -n "$id" ]
	[ ! -e "$debug_file" ]
	data=$PWD/debug.data
	pmuprof record -e cpu-clock -o debug.data ./stripped-later 400
	mkdir -p "$folder"
	objcopy --only-keep-debug with-debug "$debug_file"
	facts -s sym,srcline -- 'share("hot_a") > .5' '[r for r in named("sym", "hot_a") if "shares.c" in r["srcline"]]' || failed=1
	rm "$debug_file"
	rmdir --ignore-fail-on-non-empty -p "$folder"
	[ -z "$failed" ]
}

@test "a program that is gone leaves its samples, by address" {
	build shares
	cp "$program" gone
	data=gone.data
	pmuprof record -e cpu-clock -o gone.data ./gone 300
	rm gone
	pmuprof report --stdio -i gone.data
	[ "$status" = 0 ]
	facts -s dso,sym -- 'sum(r["self"] for r in rows if r["dso"].endswith("gone")) / weight > .9' 'sum(r["samples"] for r in rows) == samples'
}

@test "a program that was rebuilt since lends its new names to no old address" {
	build first image.c -DNAME=first -DPADDING=16
	build shares
	cp "$program" replaced
	data=replaced.data
	pmuprof record -e cpu-clock -o replaced.data ./replaced 300
	rm replaced
	cp "$BATS_FILE_TMPDIR/first" replaced
	pmuprof report --stdio -i replaced.data
	[ "$status" = 0 ]
	facts -s dso,sym -- 'share("first_work") == 0' 'children("first_work") == 0' 'share("main") < .05'
}

# --- ends

@test "report reads perf.data when no file is named" {
	shares
	cp "$data" perf.data
	[ "$("$PMUPROF" report --stdio -s sym)" = "$(text -s sym)" ]
}

@test "a reader that goes away ends report quietly" {
	shares
	run bash -o pipefail -c '"$0" report --stdio -g caller -i "$1" | head -1' "$PMUPROF" "$data"
	[ "$status" = 0 ] || [ "$status" = 141 ]
	[ "${#lines[@]}" = 1 ]
}

@test "a full disk under standard output is a failure in one line" {
	shares
	run bash -c '"$0" report --stdio -i "$1" >/dev/full' "$PMUPROF" "$data"
	[ "$status" = 1 ]
	one_line "$output" 'no space'
}

@test "report starts no other program" {
	needs strace
	shares
	strace -f -o trace -e trace=execve,fork,vfork,clone,clone3 "$PMUPROF" report --stdio -s sym,srcline -i "$data" >/dev/null
	[ "$(grep -c 'execve(' trace)" = 1 ]
}
