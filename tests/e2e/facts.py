#!/usr/bin/env python3
"""facts.py [--print] JSON EXPRESSION...: every expression holds for a `pmuprof report --json`.

Words: d (all), ev (the first event), rows, samples, weight, lost, unwind, tree;
share(sym), children(sym): shares of the weight, 0..1, of the rows with that symbol;
named(key, value): rows, total(key, value): their samples; complete: share of complete stacks;
path(): symbols along the heaviest path of the tree, to where most time was spent; nodes(): every (path of symbols, node);
self_below(sym...): share of the time under these symbols, outermost first, with -g caller; near(a, b, points).
"""
import json
import sys

sys.setrecursionlimit(100000)


def words(d):
    ev = d["events"][0]
    rows, weight, samples = ev["rows"], ev["weight"], ev["samples"]

    def named(key, value):
        return [r for r in rows if r.get(key) == value]

    def share(sym, of="self"):
        return sum(r[of] for r in named("sym", sym)) / weight if weight else 0

    def nodes(tree=None):
        stack = [((n["sym"],), n) for n in (ev["tree"] if tree is None else tree)]
        while stack:
            names, node = stack.pop()
            yield names, node
            stack += [(names + (n["sym"],), n) for n in node.get("nodes", ())]

    def path():
        names, level = [], ev["tree"]
        own = 0
        while level:
            node = max(level, key=lambda n: n["total"])
            if node["total"] <= own:
                break
            names.append(node["sym"])
            own, level = node["self"], node.get("nodes")
        return names

    def self_below(*names):
        """Share of the time that was spent where the chain, from the root, holds these symbols in this order."""
        def holds(chain):
            rest = iter(chain)
            return all(any(n == c for c in rest) for n in names)
        return sum(n["self"] for chain, n in nodes() if holds(chain)) / weight if weight else 0

    return dict(
        d=d, ev=ev, rows=rows, weight=weight, samples=samples, lost=ev["lost"], unwind=ev["unwind"], tree=ev.get("tree", []),
        named=named, share=share, children=lambda sym: share(sym, "children"), nodes=nodes, path=path, self_below=self_below,
        total=lambda key, value: sum(r["samples"] for r in named(key, value)),
        complete=ev["unwind"].get("complete", 0) / samples if samples else 0,
        near=lambda a, b, points: abs(a - b) <= points / 100,
    )


def main():
    arguments = sys.argv[1:]
    show = arguments[0] == "--print"
    path, expressions = arguments[show], arguments[show + 1:]
    with open(path, encoding="utf-8") as f:
        known = words(json.load(f))
    failed = 0
    for expression in expressions:
        value = eval(expression, dict(known))
        if show:
            print(value)
        elif not value:
            print("not so:", expression)
            failed = 1
    if failed:
        ev = known["ev"]
        print({k: v for k, v in ev.items() if k not in ("rows", "tree")})
        for row in sorted(ev["rows"], key=lambda r: -r["self"])[:12]:
            print(row)
    return failed


sys.exit(main())
