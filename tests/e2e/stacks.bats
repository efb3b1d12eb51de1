#!/usr/bin/env bats
# Stacks: complete where the program allows it, never said to be complete where they are not.

load lib

setup_file() { begin_file; }

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "all stacks of an ordinary program are complete" {
	build shares
	recorded shares_user -e cpu-clock:u -- "$program" 1000
	facts -g caller -- 'complete == 1' 'self_below("_start", "main") > .99'
}

@test "with the kernel's samples too, all but what starts and ends the process are complete" {
	build shares
	recorded shares -- "$program"
	facts -- 'samples - unwind["complete"] <= 2'
}

@test "every sample has one status" {
	build shares
	recorded shares -- "$program"
	facts -- 'sum(unwind.values()) == samples'
}

@test "PIE, non-PIE, static, static-pie and -z separate-code make no difference" {
	for flags in -no-pie -static -static-pie -Wl,-z,noseparate-code; do
		build "shares$flags" shares.c "$flags"
		recorded "shares$flags" -e cpu-clock:u -- "$program" 300
		facts -g caller -- 'complete > .995' 'near(self_below("main", "work", "middle"), .4, 6)' 'path()[0] == "_start"' || { echo "$flags"; false; }
	done
}

@test "lld and gold make no difference" {
	for linker in lld gold; do
		type -P ld.$linker >/dev/null || continue
		build "shares-$linker" shares.c -fuse-ld=$linker || continue
		recorded "shares-$linker" -e cpu-clock:u -- "$program" 400
		facts -g caller -- 'complete > .995' 'near(self_below("main", "work", "middle"), .4, 5)' 'share("hot_a") > .5' || { echo $linker; false; }
		tried=1
	done
	[ -n "$tried" ] || skip "neither lld nor gold"
}

@test "a stripped static program has full chains to _start's place" {
	build static_stripped shares.c -static -s
	recorded static_stripped -e cpu-clock:u -- "$program" 400
	facts -g caller -- 'complete > .995' 'len(path()) >= 5'
}

@test "a recursion that outgrows the copy is cut, marked and not called complete" {
	build recursion
	recorded short -e cpu-clock:u --call-graph=cfi,8192 -- "$program" 60 500
	facts -- 'unwind.get("copy_short", 0) > .95 * samples' 'children("main") < .05' 'share("bottom") > .9'
	"$PMUPROF" report --stdio -g caller -i "$data" | grep -qF '[cut: stack copy of 8 KiB]'
}

@test "the same recursion is complete with a larger copy" {
	build recursion
	recorded long -e cpu-clock:u --call-graph=cfi,48K -- "$program" 60 500 ||
		recorded long49152 -e cpu-clock:u --call-graph=cfi,49152 -- "$program" 60 500
	facts -- 'complete > .995' 'children("main") > .99'
}

@test "the report of cut stacks names the option that cures them" {
	build recursion
	recorded short -e cpu-clock:u --call-graph=cfi,8192 -- "$program" 60 500
	"$PMUPROF" report --stdio -i "$data" | grep -qE -- '--call-graph=cfi,[0-9]+'
}

@test "the cure that is named for cut stacks cures them" {
	build recursion
	recorded short -e cpu-clock:u --call-graph=cfi,8192 -- "$program" 60 500
	cure=$("$PMUPROF" report --stdio -i "$data" | grep -oE -- '--call-graph=cfi,[0-9]+' | head -1)
	[ -n "$cure" ]
	data=cured.data
	pmuprof record -e cpu-clock:u "$cure" -o cured.data "$program" 60 400
	facts -- 'complete > .995'
}

@test "chains of more than 127 frames are whole" {
	build shallow recursion.c -DFRAME=16
	recorded shallow -e cpu-clock:u -- "$program" 300 500
	facts -g caller -- 'complete > .995' 'path().count("descend") == 301' 'path()[0] == "_start"' 'path()[-1] == "bottom"'
}

@test "chains of more than 1000 frames are whole" {
	build shallow recursion.c -DFRAME=16
	recorded thousand -e cpu-clock:u --call-graph=cfi,65528 -- "$program" 1000 500
	facts -g caller -- 'complete > .99' 'path().count("descend") == 1001'
}

@test "chains of 127 kernel-walked frames are marked as cut by frame pointers" {
	build fp_recursion recursion.c -DFRAME=16 -fno-omit-frame-pointer
	recorded fp_deep -e cpu-clock:u --call-graph=fp -- "$program" 300 400
	facts -- 'unwind.get("depth_limit", 0) > .95 * samples' 'share("bottom") > .9'
}

@test "frame pointers give the callers of a program that has them" {
	build fp_shares shares.c -O0 -fno-omit-frame-pointer
	recorded fp_shares -e cpu-clock:u --call-graph=fp -- "$program" 600
	facts -g caller -- 'near(children("main"), 1, 1)' 'near(children("middle"), .4, 5)' 'self_below("main", "work", "middle", "hot_b") > .25'
}

@test "every instruction of prologues and epilogues has the same callers" {
	build calls
	recorded calls -e cpu-clock:u -F 3000 -- "$program"
	facts -g caller -- 'complete == 1' 'share("leaf") > .2' 'near(self_below("main", "top", "inner", "leaf"), share("leaf"), .001)' \
		'near(self_below("main", "top", "inner"), share("leaf") + share("inner"), .001)' 'children("main") > .995'
}

@test "a frame whose CFA is an expression (DRAP) has its caller" {
	build realigned
	recorded realigned -e cpu-clock:u -- "$program" 600
	facts -g caller -- 'complete > .995' 'self_below("main", "realigned", "bottom") > .97'
}

@test "a signal's handler is called by what it interrupted" {
	build handler
	recorded handler -e cpu-clock:u -- "$program" 600
	facts -g caller -- 'complete > .995' 'self_below("main", "raiser", "on_signal", "handler_body") > .97'
}

@test "code without CFI and frame pointer is not passed off as complete" {
	build nocfi nocfi.c -fomit-frame-pointer
	recorded nocfi -e cpu-clock:u -- "$program"
	facts -- 'share("bare") > .95' 'unwind.get("complete", 0) < .05 * samples'
}

@test "code without CFI that has a frame pointer has its caller" {
	build framed
	recorded framed -e cpu-clock:u -- "$program"
	facts -g caller -- 'self_below("main", "framed", "bottom") > .95' 'unwind.get("complete", 0) + unwind.get("guessed", 0) > .95 * samples'
}

@test "vfork, whose return address is in a register, has its caller" {
	needs_root
	build vforks
	recorded vforks -e cpu-clock -- "$program"
	# The kernel's clocks start anew in each child, so there may be only a handful of samples.
	facts -- 'unwind.get("bad_cfi", 0) == 0' 'samples < 20 or children("launch") > .8' 'samples < 20 or children("main") > .8'
}

@test "what follows .debug_frame alone is complete or said to have no CFI" {
	build debug_frame shares.c -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer
	recorded debug_frame -e cpu-clock:u -- "$program" 500
	facts -g caller -- 'complete > .99 and self_below("_start", "main", "work", "hot_a") > .5 or unwind.get("no_cfi", 0) + unwind.get("guessed", 0) > .99 * samples'
}

@test "sh -c ./prog: stacks are complete on both sides of exec" {
	build shares
	cp "$program" prog
	data=sh.data
	pmuprof record -o sh.data sh -c './prog 700; true'
	[ "$status" = 0 ]
	facts --comm prog -g caller -s comm,sym -- 'near(share("hot_a"), .6, 5)' 'self_below("_start", "main", "work", "hot_a") > .5'
	facts -- 'complete > .98'
}

@test "exec drops the old maps: no name of one image in the other's samples" {
	build second image.c -DNAME=second -DPADDING=70000
	build first image.c -DNAME=first -DPADDING=16
	recorded images -- "$program" 500 "$BATS_FILE_TMPDIR/second" 500
	facts -s comm,sym -- 'near(share("first_work"), .5, 4)' 'near(share("second_work"), .5, 4)' \
		'all(r["comm"] == "first" for r in named("sym", "first_work"))' 'all(r["comm"] == "second" for r in named("sym", "second_work"))' \
		'complete > .98'
	facts -g caller -- 'near(self_below("main", "second_work"), share("second_work"), 1)' 'near(self_below("main", "first_work"), share("first_work"), 1)'
}

@test "a chain of twenty execs keeps every image apart" {
	build second image.c -DNAME=second -DPADDING=70000
	build first image.c -DNAME=first -DPADDING=16
	command=()
	for _ in {1..10}; do command+=("$BATS_FILE_TMPDIR/first" 40 "$BATS_FILE_TMPDIR/second" 40); done
	recorded twenty -- "${command[@]}"
	facts -s comm,sym -- 'near(share("first_work"), .5, 6)' 'near(share("second_work"), .5, 6)' \
		'all(r["comm"] == "first" for r in named("sym", "first_work"))' 'all(r["comm"] == "second" for r in named("sym", "second_work"))' 'complete > .93'
}

@test "threads are complete from the C library's thread start" {
	build pair
	recorded pair -e cpu-clock:u -- "$program"
	facts -g caller -- 'complete > .995' 'self_below("run", "alpha_work") > .4' \
		'all("clone" in n["sym"] or n["sym"] in ("_start", "start_thread") for n in tree if n["total"] > .01 * weight)'
}

# --- programs that nobody here wrote: at least 95 % complete at the default copy size

@test "deep.cpp: at least 95 % of the stacks are complete" {
	needs_shared workloads/deep.cpp
	needs g++
	[ -x "$BATS_FILE_TMPDIR/deep" ] || g++ -std=c++17 -O2 -g -fomit-frame-pointer "$shared/workloads/deep.cpp" -o "$BATS_FILE_TMPDIR/deep"
	recorded deep -- "$BATS_FILE_TMPDIR/deep" 5
	facts -- 'samples > 300' 'complete >= .95' 'children("main") > .94'
}

@test "deep.cpp: C++ names are shown as people write them" {
	needs_shared workloads/deep.cpp
	needs g++
	[ -x "$BATS_FILE_TMPDIR/deep" ] || g++ -std=c++17 -O2 -g -fomit-frame-pointer "$shared/workloads/deep.cpp" -o "$BATS_FILE_TMPDIR/deep"
	recorded deep -- "$BATS_FILE_TMPDIR/deep" 5
	facts -s sym -- 'children("Parser::value()") > .1' 'not [r for r in rows if r["sym"].startswith("_Z") and not r["sym"].endswith("@plt")]'
}

@test "locks.c: at least 95 % of the stacks are complete" {
	needs_shared workloads/locks.c
	gcc -O2 -g -fomit-frame-pointer -pthread "$shared/workloads/locks.c" -o locks
	data=locks.data
	pmuprof record -o locks.data ./locks 60000
	[ "$status" = 0 ]
	facts -- 'samples > 300' 'complete >= .95' 'len(rows) > 10'
}

@test "python3, stripped: at least 95 % of the stacks are complete" {
	needs_shared workloads/bench.py
	needs /usr/bin/python3
	data=python.data
	pmuprof record -o python.data /usr/bin/python3 "$shared/workloads/bench.py" 35
	[ "$status" = 0 ]
	facts -- 'samples > 300' 'complete >= .95'
}

@test "redis-server: at least 95 % of the stacks are complete" {
	needs_shared workloads/redis.sh
	needs redis-server redis-benchmark redis-cli
	data=redis.data
	pmuprof record -o redis.data sh "$shared/workloads/redis.sh" 4000
	facts --comm redis-server -s comm -- 'rows'
	facts -- 'samples > 300' 'complete >= .95'
}

@test "cc1plus: at least 95 % of the stacks are complete with cfi,32768" {
	needs_shared workloads/gencc.py
	cc1plus=$(gcc -print-prog-name=cc1plus)
	[ -x "$cc1plus" ] || skip "no cc1plus"
	"$python" "$shared/workloads/gencc.py" 1 >big.cpp
	data=cc1.data
	# 3 s are enough
	pmuprof record --call-graph=cfi,32768 -o cc1.data timeout 3 "$cc1plus" -quiet -imultiarch x86_64-linux-gnu -std=c++17 -O2 -g -D_GNU_SOURCE big.cpp -o /dev/null
	facts -- 'samples > 300' 'complete >= .95'
	facts -g caller -- 'max(len(p) for p, _ in nodes()) > 127'
}

@test "complete stacks are rooted in _start, clone or a thread's start" {
	needs_shared workloads/locks.c
	gcc -O2 -g -fomit-frame-pointer -pthread "$shared/workloads/locks.c" -o locks
	data=locks.data
	pmuprof record -e cpu-clock:u -o locks.data ./locks 40000
	facts -g caller -- 'sum(n["total"] for n in tree if "clone" in n["sym"] or n["sym"] in ("_start", "start_thread")) >= (complete - .005) * weight'
}
