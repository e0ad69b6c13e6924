"""All paths through a kernel, with any number of blocks by induction.

A state stands for all the executions that fit it, by the values of its variables. One is dropped only if another one
that is followed covers it. Nothing else decides: how states to be followed are guessed is no matter of right or wrong.
"""

import itertools

import facts
from elf import Refuted
from machine import NOT_KNOWN, State
from inside import instantiate, leaves, memo_of, substitute
from terms import Term, add, ext, signed, sub, times, unpack, var, word

DONE = "done"
REST = "rest"
STEPS = (1, 2)
"""Blocks that a turn of a loop may take."""
ATTEMPTS = 60
MOST_MISSES = 3
"""Times that no chaining value is found at the head of a loop."""
MOST_COMPARED = 64
"""States that meet of which the one is sought that covers most."""


class Loop:
    """The head of a loop, and what holds there: parts of places, as terms of the blocks that are done, or None."""

    def __init__(self, where, cells, k, low, step, regions=()):
        self.where, self.cells, self.k, self.wrong = where, cells, k, set()
        self.regions = frozenset(regions)
        """Names of the regions that may be used there."""
        self.step = step
        """Blocks of a turn."""
        self.low = low
        """Blocks that are left at least."""
        self.named = {v for p in cells.values() if type(p) is Term for v in leaves(p)}


def misses(st):
    """Times that the path was at the head of a loop and no chaining value was."""
    return st.seen.get("misses", 0)


class Again(Exception):
    """A guess about a loop does not hold, so another one is made."""


class Paths:
    def __init__(self, machine, contract, merging=True, patience=0):
        self.machine, self.contract, self.merging, self.patience = machine, contract, merging, patience
        self.done, self.rest = var(DONE, 8), var(REST, 8)
        self.paths = self.loops = self.fresh = 0
        self.failed = None

    def prove(self):
        start = self.contract.start()
        start.counts = frozenset(t for t in (self.contract.total, self.rest) if type(t) is Term)
        self.explore(start)
        if self.failed:
            raise self.failed
        if not self.paths:
            raise Refuted("no path returns")

    def explore(self, start):
        """Lowest addresses first, so that paths which meet again are there together. A path through a loop that kept no
        chaining value comes last: if there is an error, others have ended before its terms have grown."""
        pending, late, first = {start.where: [start]}, [], True
        while pending or late:
            following = []
            if not pending:
                following.append(late.pop(0))
            else:
                where = min(pending, key=lambda where: (min(misses(st) for st in pending[where]), where))
                for st in self.merge(pending.pop(where)):
                    missed = misses(st)
                    arrived = [st] if first or st.ip not in self.machine.targets else self.arrive(st)
                    first = False
                    for s in arrived:
                        (late if misses(s) > missed else following).append(s)
            for s in following:
                for out in self.path(s):
                    if out.ip == "end":
                        self.paths += 1
                        self.contract.finish(out)
                    else:
                        pending.setdefault(out.where, []).append(out)

    def path(self, st):
        """On to the next place where paths meet or part."""
        machine = self.machine
        while True:
            out = machine.step(st)
            if len(out) > 1:
                return [self.leave(s) for s in out]
            st = out[0]
            if st.ip == "end" or st.ip in machine.targets:
                return out

    # ---------------------------------------------------------------------------------------------------------- merging

    def merge(self, states):
        if len(states) == 1:
            return states
        states, kept = sorted(states, key=lambda s: len(s.facts)), []
        # States that cover most come first: a state that was widened on the way might cover too much to be proved.
        while states:
            best = [s for s in states if self.covers(states[0], s, False, True)]
            chosen = states[0]
            if len(best) < len(states) <= MOST_COMPARED:
                for r in states[1:]:
                    covered = [s for s in states if self.covers(r, s, False, True)]
                    if len(covered) > len(best):
                        best, chosen = covered, r
                    if len(best) == len(states):
                        break
            for s in best:
                if s is not chosen and not self.covers(chosen, s, False):
                    raise AssertionError("a state that covers another does so twice")
            kept.append(chosen)
            states = [s for s in states if s is not chosen and s not in best]
        if not self.merging:
            return kept
        states, kept = kept, []
        for s in states:
            if not any(self.covers(r, s, True) for r in kept):
                kept.append(s)
        return kept

    def covers(self, r, s, forgetting, only_ask=False):
        """Whether s is a special case of r, at one address. Where they differ in what is not needed, r may forget it.

        - Ranges of s lie in those of r, or r takes them in, where they go on from those of r. A fact of r that s does not
          imply is dropped. Both only widen r.
        - Every place holds the same in both for the executions of s: the terms are the same, or become so by what s
          knows. Otherwise r gets a variable there that is nowhere else, so it may hold anything.
        - A region of the stack that r does not have is one that it may not use.
        So an execution that fits s fits r. The executions of r still do.
        """
        if r.loop is not s.loop or r.k != s.k or not r.memory.keys() <= s.memory.keys():
            return False
        wider = {}
        for a, (low, high) in r.ranges.items():
            if a not in s.ranges:
                return False
            first, last = s.ranges[a]
            if first < low or last > high:
                # A number that is known is worth a path of its own.
                if low == high or first == last or first != high + 1 and last != low - 1:
                    return False
                wider[a] = min(low, first), max(high, last)
        memo, forget, absent = memo_of(s.facts), [], []

        def same(x, y):
            if x == y:
                return True
            if len(x) == 8 and all(same(x[i : i + 4], y[i : i + 4]) for i in (0, 4)):
                return True
            return substitute(word(x), s.facts, memo) == substitute(word(y), s.facts, memo)

        for i in range(len(r.g)):
            if not same(r.g[i], s.g[i]):
                forget.append(("g", i))
        for i in range(len(r.v)):
            x, y = r.v[i], s.v[i]
            if x != y and not all(same(x[j : j + 8], y[j : j + 8]) for j in range(0, len(x), 8)):
                forget.append(("v", i))
        for name, b in r.memory.items():
            c = s.memory[name]
            if b == c:
                continue
            for at in sorted({i & ~7 for i, _ in b.items() ^ c.items()}):
                x, y = ([d.get(at + i) for i in range(8)] for d in (b, c))
                if None not in x and None not in y and same(x, y):
                    continue
                if name in self.contract.outputs:
                    return False
                if self.merging != "all" and any(x[i] is not None and x[i] != y[i] for i in range(8)):
                    return False
                absent += [(b, at + i) for i in range(8) if x[i] is not None and x[i] != y[i]]
        if r.flags != s.flags and self.alive(r.ip, ("flags", 0)):
            return False
        if forget and (not forgetting or any(self.alive(r.ip, what) for what in forget)):
            return False
        if only_ask:
            return True
        r.ranges.update(wider)
        r.turns = max(r.turns, s.turns)
        for kind, i in forget:
            places = getattr(r, kind)
            places[i] = unpack(self.new("forgotten", len(places[i])), len(places[i]))
        for b, at in absent:
            del b[at]  # what is absent may be anything
        if r.flags != s.flags:
            r.flags = NOT_KNOWN
        r.orders &= s.orders
        r.facts = {a: b for a, b in r.facts.items() if substitute(a, s.facts, memo) == substitute(b, s.facts, memo)}
        return True

    def new(self, name, size):
        """A variable that is nowhere else."""
        self.fresh += 1
        return var(name, size, self.fresh, secret=True)

    def alive(self, ip, register):
        """Whether a register, or the flags, may be read from here on. A mistake here can only make a proof fail."""
        machine, todo, done = self.machine, [ip], set()
        while todo:
            ip = todo.pop()
            if ip in done or ip not in machine.code:
                continue
            done.add(ip)
            op, args, following = machine.code[ip]
            used = machine.use(op, args, *register)
            if used:
                return True
            if used is None:
                todo += machine.follow(op, args, following, *register)
        return False

    # -------------------------------------------------------------------------------------------------------- induction

    def arrive(self, st):
        """At a place to which code jumps: perhaps the head of a loop over blocks."""
        if st.loop:
            if st.loop.where == st.where:
                self.repeat(st)
                return []
            return [st]
        before = st.seen.get(st.where)
        if before is not None and before.turns < st.turns and self.number(st, self.contract.total) is None:
            visits = st.seen["visits", st.where] = st.seen.get(("visits", st.where), 0) + 1
            guess = self.guess(before, st) if visits > self.patience else None
            if guess:  # else it is a loop within that over blocks, or that over blocks is entered in its middle
                self.generalise(st, *guess)
                return []
            st.seen["misses"] = max(0, visits - self.patience)
            if visits > self.patience + MOST_MISSES:
                # Other paths go on, for they may tell what is wrong.
                self.failed = Refuted("at %x: a loop that keeps no chaining value" % st.ip)
                return []
        snapshot = st.copy()
        snapshot.seen = {}
        st.seen[st.where] = snapshot
        return [st]

    def number(self, st, x):
        """The number that a public value is, if that is known."""
        r = facts.bounds(st, facts.settle(st, x))
        return r[0] if r and r[0] == r[1] else None

    def places(self, st):
        """All that a state holds, by eights of bytes."""
        for i, b in enumerate(st.g):
            yield ("g", i, 0), b
        for i, b in enumerate(st.v):
            for j in range(0, len(b), 8):
                yield ("v", i, j), b[j : j + 8]
        for name, b in st.memory.items():
            for at in sorted({i & ~7 for i in b}):
                yield (name, at, 0), [b.get(at + i) for i in range(8)]

    def at(self, st, place):
        kind, i, j = place
        if kind == "g":
            return st.g[i]
        if kind == "v":
            return st.v[i][j : j + 8]
        return [st.memory.get(kind, {}).get(i + k) for k in range(8)]

    def generalise(self, st, step, first, cells):
        """From two visits of the head of a loop, what may hold at all of them: then that it does.

        `st` is dropped, since it is checked to be an instance of what is followed instead, and so is every state that
        comes back to the head from there: with `step` more blocks done, by the definition of the chaining value after
        each.
        """
        left, used = st.ranges[self.contract.total][1], frozenset(self.machine.used)
        for _ in range(ATTEMPTS):
            g = self.general(st, step, first, cells, left)
            try:
                self.check_instance(st, g.loop, self.after_first(st, first))
                self.raise_if_wrong(g.loop)
                self.explore(g)
                self.raise_if_wrong(g.loop)
            except Again:
                self.machine.used = set(used)  # what a wrong guess executed proves nothing
                for key in g.loop.wrong:
                    if key == REST:
                        left = int(g.loop.low > 1)
                    else:
                        cells[key] = None
                continue
            self.loops += 1
            return
        raise Refuted("at %x: no invariant of the loop was found" % st.ip)

    def raise_if_wrong(self, loop):
        if loop.wrong:
            raise Again

    def guess(self, s0, s1):
        """How many blocks a turn takes, how many were done at the second visit, and a term of it for each part of each
        place, or None where there is none. Nothing at all if no place holds a word of a chaining value at both visits:
        with an error in the code the count may still be right."""
        contract, memo0, memo1 = self.contract, memo_of(s0.facts), memo_of(s1.facts)

        def pairs(done, step):
            out, words = {}, set()
            for lane in range(contract.live):
                old, new = contract.after(lane, done), contract.after(lane, done + step)
                for j, (x, y) in enumerate(zip(old, new)):
                    pair = substitute(x, s0.facts, memo0), substitute(y, s1.facts, memo1)
                    out[pair] = contract.state(lane, self.done)[j]
                    if j < 8:
                        words.add(pair)
            return out, {out[pair] for pair in words}

        places = {place: (x, self.at(s1, place)) for place, x in self.places(s0)}
        for step, done in itertools.product(STEPS, range(3)):
            known, words = pairs(done, step)
            first, cells, found = done + step, {}, False
            for place, (x, y) in places.items():
                for start, size, p in self.guess_parts(x, y, 8, s0, s1, memo0, memo1, known, step, first):
                    cells[place, start, size] = p
                    found |= p in words
            if found:
                return step, first, cells
        return None

    def guess_parts(self, x, y, size, s0, s1, memo0, memo1, known, step, first, start=0):
        if size == 1 and x != y:
            return [(start, 1, None)]
        if None not in x and None not in y:
            a, b = word(x), word(y)
            if a is b:
                return [(start, size, a)]
            a, b = substitute(a, s0.facts, memo0), substitute(b, s1.facts, memo1)
            if (a, b) in known:
                return [(start, size, known[a, b])]
            if a == b:
                return [(start, size, b)]
            if size in (4, 8):
                d = sub(size, b, a)
                d = signed(d, size) if type(d) is int else d
                if type(d) is int and d % step == 0:
                    d //= step
                    done = self.done if size == 8 else ext(self.done, 0, 4)
                    return [(start, size, add(size, b, times(size, done, d), -d * first))]
        if size == 1:
            return [(start, 1, None)]
        half, out = size // 2, []
        for i in (0, half):
            parts = x[i : i + half], y[i : i + half]
            out += self.guess_parts(*parts, half, s0, s1, memo0, memo1, known, step, first, start + i)
        return out

    def general(self, st, step, first, cells, left):
        """The state at the head of the loop when `done` blocks are done, at least `first`, and `rest` are left, at least
        `left`, or fewer if there may be fewer from the start."""
        total = self.contract.total
        if total in st.facts:
            raise Refuted("at %x: a loop of a known number of blocks" % st.ip)
        low, high = st.ranges[total]
        if low < first:
            raise Refuted("at %x: a loop that may have gone on too long" % st.ip)
        g = State()
        g.ip, g.flags, g.turns, g.seen, g.counts = st.ip, NOT_KNOWN, 0, {}, st.counts
        g.calls = st.calls

        def depends(x):
            return type(x) is Term and total in leaves(x)

        g.orders = frozenset(p for p in st.orders if not depends(p[0]) and not depends(p[1]))
        g.facts = {a: b for a, b in st.facts.items() if not depends(a) and not depends(b)}
        g.facts[total] = add(8, self.done, self.rest)
        g.ranges = {a: b for a, b in st.ranges.items() if a is not total}
        left = min(low - first, left)
        g.ranges[self.done], g.ranges[self.rest] = (first, high), (left, high)
        g.k = st.k
        g.g, g.v, g.memory = [[None] * 8 for _ in st.g], [[None] * len(b) for b in st.v], {n: {} for n in st.memory}
        for ((kind, i, j), start, size), p in cells.items():
            if p is None and kind not in ("g", "v"):
                continue
            b = unpack(self.new("unknown", size) if p is None else p, size)
            if kind == "g":
                g.g[i][start : start + size] = b
            elif kind == "v":
                g.v[i][j + start : j + start + size] = b
            else:
                g.memory[kind].update(zip(range(i + start, i + start + size), b))
        g.loop = Loop(st.where, cells, g.k, left, step, g.memory)
        return g

    def after_first(self, st, first):
        """The values of the variables of the general state at the visit from which it was made."""
        values = {self.done: first, self.rest: sub(8, self.contract.total, first)}
        for lane in range(self.contract.live):
            values.update(zip(self.contract.state(lane, self.done), self.contract.after(lane, first)))
        return values

    def repeat(self, st):
        """Back at the head of the loop, with the blocks of a turn more done."""
        step = st.loop.step
        if st.ranges[self.rest][0] - step < st.loop.low:
            if st.loop.low == 0:
                raise Refuted("at %x: may go on after the last block" % st.ip)
            st.loop.wrong.add(REST)
            raise Again
        values = {self.done: add(8, self.done, step), self.rest: sub(8, self.rest, step)}
        for lane in range(self.contract.live):
            state = self.contract.state(lane, self.done)
            if any(s in st.loop.named for s in state):
                after = state
                for i in range(step):
                    after = self.contract.advance(lane, after, add(8, self.done, i))
                values.update(zip(state, after))
        self.check_instance(st, st.loop, values)
        self.raise_if_wrong(st.loop)

    def check_instance(self, st, loop, values):
        """Notes what of the general state, with these values for its variables, is not what `st` holds."""
        memo, memo1 = {}, memo_of(st.facts)
        if not loop.regions <= st.memory.keys():
            raise Refuted("at %x: leaves a stack frame in the loop" % st.ip)
        for (place, start, size), p in loop.cells.items():
            if p is None:
                continue
            x = self.at(st, place)[start : start + size]
            right = instantiate(p, values, memo)
            if None in x:
                loop.wrong.add((place, start, size))
                continue
            code = word(x)
            if code is not right and code != right and substitute(code, st.facts, memo1) != substitute(right, st.facts, memo1):
                loop.wrong.add((place, start, size))
        if any(a != b for a, b in zip(st.k, loop.k)):
            raise Refuted("at %x: masks change in the loop" % st.ip)

    def leave(self, st):
        """Where the number of blocks left is known, `done` is the total less that: the loop's variables go."""
        if not st.loop:
            return st
        rest = self.number(st, self.rest)
        if rest is None:
            return st
        total = self.contract.total
        values, memo = {self.done: sub(8, total, rest), self.rest: rest}, {}

        def replace(x):
            return instantiate(x, values, memo) if type(x) is Term else x

        def replace_bytes(b):
            out = []
            for x in b:
                if type(x) is int:
                    out.append(x)
                    continue
                t, i = x
                new = replace(t)
                out.append(x if new is t else unpack(new, t.size)[i])
            return out

        st.g, st.v = [replace_bytes(b) for b in st.g], [replace_bytes(b) for b in st.v]
        st.memory = {name: dict(zip(b, replace_bytes(b.values()))) for name, b in st.memory.items()}
        kind, size, x, y = st.flags
        st.flags = (kind, size, replace(x), replace(y)) if kind != "count" else NOT_KNOWN
        known = {replace(a): replace(b) for a, b in st.facts.items() if a not in (total, self.rest, self.done)}
        st.facts = {a: b for a, b in known.items() if type(a) is Term}
        low, high = st.ranges.pop(self.done)
        del st.ranges[self.rest]
        st.ranges[total] = (low + rest, high + rest)
        st.loop, st.seen, st.turns = None, {}, 0
        return st
