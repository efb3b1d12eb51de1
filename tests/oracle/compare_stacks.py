#!/usr/bin/env python3
"""Compares our unwinder's stacks with libdw's.

    compare_stacks.py OURS LIBDW [--show N] [--floor SHARE]

Both files hold lines `TID TIME STOP ip ip ip ...`, leaf first, as libdw_stacks writes them; in OURS, STOP is the key of
the stack's status. Stacks are matched by (TID, TIME); several of the same thread and time, in their order. A stack
agrees when it is libdw's, or when it goes on behind the place where libdw gave up, to the root or to the end of the copy.
Where a stack leads through code without call-frame information both guess, ours marked so: such a difference is counted apart.
Exit status 0 when the share of the matched stacks that agree reaches the floor, 1 when not or when nothing matched.
"""

import argparse
import collections
import mmap
import os
import sys

IDENTICAL = "identical"
LONGER_COMPLETE = "ours longer, libdw's a prefix, ours to the root or the copy's end"
LONGER_OTHER = "ours longer, libdw's a prefix, ours not to the root"
GUESSED = "through code without CFI, where libdw guesses too"
SHORTER = "ours shorter, a prefix of libdw's"
DIFFERENT = "different in the middle"
ONLY_OURS = "missing in LIBDW"
ONLY_LIBDW = "missing in OURS"
AGREEING = (IDENTICAL, LONGER_COMPLETE)
EXPLAINED = (GUESSED,)
DISAGREEING = (LONGER_OTHER, SHORTER, DIFFERENT, ONLY_OURS, ONLY_LIBDW)


class Stack(collections.namedtuple("Stack", "key stop ips")):
    """One line: key is (tid, time), stop a word, ips what follows, all as bytes."""

    @classmethod
    def parse(cls, line, where):
        fields = line.rstrip(b"\n").split(b" ", 3)
        if len(fields) < 3 or not (fields[0].isdigit() and fields[1].isdigit()):
            sys.exit(f"{where}: not a line TID TIME STOP ip...: {line[:80]!r}")
        return cls((int(fields[0]), int(fields[1])), fields[2], fields[3].strip() if len(fields) > 3 else b"")

    def starts_with(self, other):
        return self.ips == other.ips or not other.ips or self.ips.startswith(other.ips + b" ")


class StackFile:
    """Stacks looked up by key; only their places are kept, as the files may be larger than the memory."""

    def __init__(self, path):
        self.path = path
        self.places = collections.defaultdict(collections.deque)
        with open(path, "rb") as file:
            self.text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(file.fileno()).st_size else b""
        start = 0
        while start < len(self.text):
            end = self.text.find(b"\n", start)
            end = len(self.text) if end < 0 else end
            self.places[Stack.parse(self.text[start:end], path).key].append((start, end))
            start = end + 1

    def take(self, key):
        """The next stack of the key that was not taken yet, or None."""
        places = self.places.get(key)
        if not places:
            return None
        start, end = places.popleft()
        return Stack.parse(self.text[start:end], self.path)

    def rest(self):
        """The stacks that were not taken, in the order of their first lines."""
        for key, places in self.places.items():
            while places:
                yield self.take(key)


def kind_of(ours, libdw):
    if ours.ips == libdw.ips:
        return IDENTICAL
    if ours.starts_with(libdw):
        return LONGER_COMPLETE if ours.stop in (b"complete", b"guessed", b"copy_short") else LONGER_OTHER
    if ours.stop == b"guessed":
        return GUESSED
    return SHORTER if libdw.starts_with(ours) else DIFFERENT


def pairs(ours_path, libdw_path):
    """(ours, libdw) of every stack; None where a side has it not."""
    libdw_file = StackFile(libdw_path)
    with open(ours_path, "rb") as file:
        for line in file:
            ours = Stack.parse(line, ours_path)
            yield ours, libdw_file.take(ours.key)
    for libdw in libdw_file.rest():
        yield None, libdw


def first_difference(ours, libdw):
    for depth, (a, b) in enumerate(zip(ours.ips.split(), libdw.ips.split())):
        if a != b:
            return depth
    return min(len(ours.ips.split()), len(libdw.ips.split()))


def show(kind, examples):
    print(f"\n{kind}:")
    for ours, libdw in examples:
        tid, time = (ours or libdw).key
        where = f", frame {first_difference(ours, libdw)}" if ours and libdw else ""
        print(f"  tid {tid} time {time}{where}")
        for name, stack in (("ours ", ours), ("libdw", libdw)):
            if stack:
                print(f"    {name} {stack.stop.decode()}: {stack.ips.decode()}")


def main():
    parser = argparse.ArgumentParser(description="Compares our unwinder's stacks with libdw's.")
    parser.add_argument("ours", metavar="OURS")
    parser.add_argument("libdw", metavar="LIBDW")
    parser.add_argument("--show", metavar="N", type=int, default=0, help="print the first N disagreements of each kind")
    parser.add_argument("--floor", metavar="SHARE", type=float, default=0.999, help="default: 0.999")
    args = parser.parse_args()

    counts = collections.Counter()
    stops = collections.defaultdict(collections.Counter)
    examples = collections.defaultdict(list)
    for ours, libdw in pairs(args.ours, args.libdw):
        kind = kind_of(ours, libdw) if ours and libdw else ONLY_OURS if ours else ONLY_LIBDW
        counts[kind] += 1
        stops[kind]["/".join(stack.stop.decode() for stack in (ours, libdw) if stack)] += 1
        if kind in DISAGREEING and len(examples[kind]) < args.show:
            examples[kind].append((ours, libdw))

    both = sum(counts.values()) - counts[ONLY_OURS] - counts[ONLY_LIBDW] - counts[GUESSED]
    agreeing = sum(counts[kind] for kind in AGREEING)
    share = agreeing / both if both else 0.0
    print(f"{both:10} to compare")
    for kind in AGREEING + EXPLAINED + DISAGREEING:
        detail = ", ".join(f"{stop} {count}" for stop, count in stops[kind].most_common())
        print(f"{counts[kind]:10} {kind}" + (f" ({detail})" if detail else ""))
    print(f"{share:10.4f} agree")
    for kind in DISAGREEING:
        if examples[kind]:
            show(kind, examples[kind])
    return 0 if both and share >= args.floor else 1


if __name__ == "__main__":
    sys.exit(main())
