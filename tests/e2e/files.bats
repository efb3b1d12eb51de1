#!/usr/bin/env bats
# Input that is missing, foreign, damaged or of a kind we do not read: one clear line, never a crash; and exact counts of what we read.

load lib

setup_file() { begin_file; }

setup() { cd "$BATS_TEST_TMPDIR"; }

# few_words FILE NAME: an error in one line that names NAME, and at most five remarks on what was found on the way
few_words() {
	local lines
	lines=$(grep -c '' "$1") || true
	[ "$lines" -ge 1 ] && [ "$lines" -le 6 ] && head -1 "$1" | grep -qF "$2" && ! grep -qv '^pmuprof: ' "$1" && ! grep -qP '\x1b' "$1"
}

# survives FILE [OPTIONS...]: report ends with results, or in few words; what it did else goes to `bad`. 20 s at most.
survives() {
	local file=$1
	status=0
	timeout 20 "$PMUPROF" report -i "$file" "${@:2}" >out 2>err </dev/null || status=$?
	case $status in
	0) [ -s out ] && ! grep -qP '\x1b' out err && return ;;
	1) [ ! -s out ] && few_words err "$(basename "$file")" && return ;;
	esac
	echo "$file ${*:2}: exit status $status, $(wc -c <out) bytes on standard output, standard error:" >>bad
	head -c 600 err >>bad
}

none_bad() {
	[ ! -e bad ] || { grep -c 'exit status' bad; head -60 bad; return 1; }
}

# samples_of FILE: all events' samples by report --json, or the exit status
samples_of() {
	timeout 20 "$PMUPROF" report --json -i "$1" 2>err </dev/null >counted || { echo "exit status $?"; return; }
	"$python" -c 'import json; print(sum(e["samples"] for e in json.load(open("counted"))["events"]))' 2>/dev/null || echo "no JSON"
}

# counted COUNT FILE...: each has so many samples
counted() {
	local count=$1 file got
	shift
	for file; do
		got=$(samples_of "$file")
		[ "$got" = "$count" ] || echo "$file: exit status or samples: $got instead of $count: $(head -1 err)" >>bad
	done
}

# later KIND COUNT FILE...: of a kind that is read with so many samples, or refused by name
later() {
	local kind=$1 count=$2 file got
	shift 2
	for file; do
		got=$(samples_of "$file")
		[ "$got" = "$count" ] && continue
		[ "$got" = "exit status 1" ] && one_line "$(<err)" "$(basename "$file")" "$kind" >>words && continue
		echo "$file: $got, exit status or samples; $(head -3 err)" >>bad
	done
}

# --- what anyone meets

@test "a missing file is one line" {
	pmuprof report --stdio -i no-such.data
	refused 1 no-such.data 'no such file'
	pmuprof annotate main --stdio -i no-such.data
	refused 1 no-such.data 'no such file'
}

@test "without a file and without perf.data the line says how to make one" {
	pmuprof report --stdio
	refused 1 perf.data 'pmuprof record'
}

@test "an empty file is one line" {
	: >empty.data
	pmuprof report --stdio -i empty.data
	refused 1 empty.data empty
}

@test "a foreign file is one line: text, an ELF program, zeros, one byte" {
	echo 'hello, this is no profile' >text.data
	cp "$PMUPROF" elf.data
	head -c 4096 /dev/zero >zero.data
	printf P >byte.data
	for file in text.data elf.data zero.data byte.data; do
		pmuprof report --stdio -i $file
		refused 1 $file
	done
}

@test "a directory and a device are one line" {
	mkdir folder
	pmuprof report --stdio -i folder
	refused 1 folder
	pmuprof report --stdio -i /dev/null
	refused 1 /dev/null
}

@test "a file that may not be read is one line with the cause" {
	needs_root
	needs setpriv
	folder_for_nobody 777
	"$PMUPROF" record -o private.data true 2>/dev/null
	run --separate-stderr as_nobody ./pmuprof report --stdio -i private.data
	refused 1 private.data 'permission denied'
}

@test "an unknown command and no command are matters of usage" {
	pmuprof
	[ "$status" = 2 ]
	[ -n "$stderr" ]
	pmuprof bogus
	refused 2 bogus
	pmuprof --bogus
	refused 2 bogus
}

@test "help and version are results" {
	pmuprof --help
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	for command in record report annotate; do grep -qw $command <<<"$output"; done
	pmuprof --version
	[ "$status" = 0 ]
	grep -qE '[0-9]+\.[0-9]+' <<<"$output"
	for command in record report annotate; do
		pmuprof help $command
		[ "$status" = 0 ]
		grep -qw -e "$command" <<<"$output"
		pmuprof $command --help
		[ "$status" = 0 ]
		[ -n "$output" ]
	done
	pmuprof help bogus
	refused 2 bogus
}

@test "help names every option of the issue" {
	pmuprof record --help
	for option in -e -F -c -o -m --call-graph -g; do grep -q -e "$option" <<<"$output"; done
	pmuprof report --help
	for option in -i --stdio -s -g --no-children --percent-limit --comm --dso --sym --tid --json; do grep -q -e "$option" <<<"$output"; done
	pmuprof annotate --help
	for option in -i --stdio --raw; do grep -q -e "$option" <<<"$output"; done
}

# --- our own files, damaged

@test "a file that was cut off gives what it holds and says so" {
	build shares
	recorded shares -- "$program" 500
	facts -- 'samples > 300'
	all=$(fact samples)
	head -c $(($(stat -c %s "$data") / 2)) "$data" >half.data
	pmuprof report --stdio -i half.data
	[ "$status" = 0 ]
	one_line "$stderr" half.data
	data=half.data
	timeout 20 "$PMUPROF" report --json -i half.data >half.json 2>/dev/null
	"$python" "$BATS_TEST_DIRNAME/facts.py" half.json ".3 * $all < samples < .7 * $all" 'share("hot_a") > .5'
}

@test "a file cut at any place gives results or few words, never a crash" {
	build shares
	recorded cut -- "$program" 10
	size=$(stat -c %s "$data")
	for ((i = 0; i < 60; i++)); do
		head -c $((i < 20 ? i * 12 : size * (i - 20) / 40 + i % 3)) "$data" >cut.data
		survives cut.data --stdio
	done
	none_bad
}

@test "a file with any byte changed gives results or few words, never a crash" {
	build shares
	recorded cut -- "$program" 10
	"$python" - "$data" <<-'PY'
		import random, sys
		random.seed(2)
		original = open(sys.argv[1], "rb").read()
		start = int.from_bytes(original[40:48], "little")
		size = int.from_bytes(original[48:56], "little")
		places = [random.randrange(104) for _ in range(25)] + [random.randrange(104, start + 4096) for _ in range(35)]
		places += [random.randrange(start + size, len(original)) for _ in range(20)]
		for i, place in enumerate(places):
		    changed = bytearray(original)
		    changed[place] = random.choice((0, 1, 0x7f, 0x80, 0xff, changed[place] ^ 0x10))
		    open(f"changed.{i}.data", "wb").write(changed)
	PY
	for file in changed.*.data; do survives $file --stdio; done
	none_bad
}

@test "a recording may be read while it grows" {
	build shares
	"$PMUPROF" record -e cpu-clock -o growing.data "$program" 2000 2>/dev/null 3>&- &
	recorder=$!
	for _ in {1..6}; do
		sleep 0.3
		[ ! -e growing.data ] || survives growing.data --stdio
	done
	wait $recorder
	none_bad
}

# --- the corpus

@test "corpus: malformed files end with results or in few words, never a crash" {
	needs_shared corpus/malformed
	for file in "$shared"/corpus/malformed/[0-9]*; do
		survives "$file" --stdio -g caller -s comm,pid,tid,dso,sym,srcline,cpu
		survives "$file" --json
	done
	none_bad
}

@test "corpus: other tools' crash inputs end with results or in few words" {
	needs_shared corpus/fuzz
	while read -r file; do
		survives "$file" --stdio
		survives "$file" --json
	done < <(find "$shared/corpus/fuzz" -type f)
	none_bad
}

@test "corpus: annotate survives malformed files and crash inputs" {
	needs_shared corpus/fuzz corpus/malformed
	while read -r file; do
		status=0
		timeout 20 "$PMUPROF" annotate main --stdio -i "$file" >out 2>err </dev/null || status=$?
		[ "$status" = 1 ] && [ ! -s out ] && few_words err "$(basename "$file")" && continue
		echo "$file: exit status $status, $(head -3 err)" >>bad
	done < <(find "$shared/corpus/fuzz" "$shared/corpus/malformed" -type f ! -name RESULTS.txt)
	none_bad
}

@test "corpus: synthetic files end with results or in few words" {
	needs_shared corpus/synthetic
	for file in "$shared"/corpus/synthetic/*; do survives "$file" --stdio -g caller; done
	none_bad
}

@test "corpus: real files, of file mode and others, end with results or in few words" {
	needs_shared corpus/perfdata
	while read -r file; do survives "$file" --stdio; done < <(find "$shared/corpus/perfdata" -type f)
	none_bad
}

@test "corpus: synthetic files have the samples that were written" {
	needs_shared corpus/synthetic
	cd "$shared/corpus/synthetic"
	ours=$OLDPWD
	files=(01_* 02_* 03_* 04_* 05_* 06_* 07_* 13_* 14_* 17_* 18_* d_* n_* o_* q_*)
	files=("${files[@]/#/$PWD/}")
	two=("$PWD"/{09_two_ev_identifier,10_two_ev_desc,r_mixed_callchain})
	five=("$PWD"/{12_chain_ctx,12_chain_noctx})
	one=("$PWD"/{s_chain200,s_chain8000})
	four=("$PWD/19_forks")
	cd "$ours"
	counted 7 "${files[@]}"
	counted 11 "${two[@]}"
	counted 5 "${five[@]}"
	counted 1 "${one[@]}"
	counted 4 "${four[@]}"
	none_bad
}

@test "corpus: records of unknown type are skipped and counted, and the samples around them kept" {
	needs_shared corpus/synthetic
	for type in 21 22 40 83 90 200; do
		counted 10 "$shared/corpus/synthetic/20_rectype$type"
		[ $type -lt 40 ] || grep -q '.' err || echo "20_rectype$type: not a word: exit status" >>bad
	done
	none_bad
}

@test "corpus: a file cut inside a record keeps the samples before" {
	needs_shared corpus/synthetic
	counted 5 "$shared/corpus/synthetic/16_trunc"
	none_bad
	[ -s err ]
}

@test "corpus: files recorded here by stock perf have perf's samples" {
	needs_shared corpus/local
	cd "$shared/corpus/local"
	local_folder=$PWD
	cd "$OLDPWD"
	while read -r count file; do counted "$count" "$local_folder/$file"; done <<-'LIST'
		22 buildid_mmap.data
		92 clockid.data
		91 dwarf_converted_callchain.data
		93 many_fields.data
		99 multi.data
		91 regs.data
		95 switch_ns_cgroup.data
	LIST
	none_bad
}

# The manifest's "samples=N" was counted by another walker of the records; perf 6.1 agrees on all of these.
@test "corpus: real file-mode recordings have the manifest's samples" {
	needs_shared corpus/MANIFEST.tsv corpus/perfdata
	while IFS=$'\t' read -r file description verdict; do
		case $description in
		'file LE'*COMPRESSED* | *ERR:* | *'samples=0'*) continue ;;
		'file LE'*) ;;
		*) continue ;;
		esac
		# simpleperf's private records, and samples with a group's counts, have counts of their own
		case $file:$verdict in
		*/perf_with_add_counter.data:*) continue ;;
		perfdata/simpleperf/*:*fail*) continue ;;
		esac
		counted "$(grep -oE 'samples=[0-9]+' <<<"$description" | cut -d= -f2)" "$shared/corpus/$file"
		tried=$((tried + 1))
	done < <(awk -F'\t' -v OFS='\t' '$1 ~ /^perfdata/ { print $1, $9, $10 }' "$shared/corpus/MANIFEST.tsv")
	none_bad
	[ "$tried" -gt 40 ]
}

@test "corpus: comms, dsos and weights of a synthetic file are those of the records" {
	needs_shared corpus/local
	data=$shared/corpus/local/clockid.data
	facts -s comm -- 'weight > 0' 'sum(r["self"] for r in rows) == weight' 'total("comm", "spin") == samples'
	facts -s dso -- '[r for r in rows if "spin" in r["dso"]]'
}

@test "corpus: names with control bytes reach no terminal" {
	needs_shared corpus/malformed
	for file in "$shared"/corpus/malformed/2[23]* "$shared"/corpus/malformed/5*; do
		timeout 20 "$PMUPROF" report --stdio -s comm,dso,sym -g caller -i "$file" >out 2>err </dev/null || true
		run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' out err
	done
}

@test "corpus: big-endian files are read, or refused by name" {
	needs_shared corpus/synthetic
	folder=$shared/corpus/synthetic
	for twin in 01_bare_ip_tid 03_comm_only 04_mmap2_nokern 05_std 06_std_hostname 07_feats 13_attr64 13_attr128 17_mmap_after_earlier_time; do
		later endian 7 "$folder/be_$twin"
	done
	later endian 11 "$folder/be_09_two_ev_identifier" "$folder/be_10_two_ev_desc"
	later endian 5 "$folder/be_12_chain_ctx"
	none_bad
}

@test "corpus: pipe files are read, or refused by name" {
	needs_shared corpus/synthetic corpus/local
	later pipe 7 "$shared"/corpus/synthetic/{08_pipe,08b_pipe_nofeat,a_pipe_attr136,a_pipe_attr144}
	later pipe 11 "$shared/corpus/synthetic/10_two_ev_pipe"
	later pipe 93 "$shared/corpus/local/pipe.data"
	none_bad
}

@test "corpus: compressed files are read, or refused by name" {
	needs_shared corpus/local corpus/perfdata/perfparser
	later compress 91 "$shared/corpus/local/zstd.data"
	later compress 106 "$shared/corpus/perfdata/perfparser/fork_static_gcc.perf.data.zstd"
	later compress 242 "$shared/corpus/perfdata/perfparser/parallel_static_gcc.perf.data.zstd"
	none_bad
}

@test "corpus: directory recordings are read, or refused by name" {
	needs_shared corpus/local/dirthreads.data
	later director 91 "$shared/corpus/local/dirthreads.data"
	none_bad
}

@test "corpus: the first perf's files (PERFFILE) are read, or refused by name" {
	needs_shared corpus/perfdata/hotspot
	pmuprof report --stdio -i "$shared/corpus/perfdata/hotspot/perf.data.true.v1"
	[ "$status" = 0 ] || refused 1 perf.data.true.v1
}
