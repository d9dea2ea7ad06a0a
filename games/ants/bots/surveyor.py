"""Surveyor: plays plans ahead, attack chains included, against the opponent's observed habits.

A plan is a list of targets. Its beacons are a tree that grows from the bases, one target after the other; when one is
empty, the tree grows on by itself. All cells get the same strength, because a chain is worth its weakest link. Plans
are changed at random, from a fixed seed, and only work is counted, never time: the same input gives the same output.
"""

from heapq import heapify, heappop, heappush
from random import Random

EGG, CRYSTAL = 1, 2
LAST_TURN = 100
HORIZON = 14
FIRST_WORK, WORK = 200_000, 24_000
"""Small steps of the search in the first turn, and in each later one."""

PATIENCE = (2.5, 1.6, 1.0)
EGG_WORTH = (2, 1, 4, 0)
EARLY = 0.02
"""What a crystal is worth more for each turn that it comes sooner."""

FORGET = 0.5
"""How much the last turn counts in a habit's error."""

random = Random(1)


class Map:
    """What does not change, and the work that was done this turn."""

    def __init__(self, kinds, links, bases):
        self.kinds, self.links, self.bases = kinds, links, bases
        self.size = len(kinds)
        self.distances = [self._distances_from(cell) for cell in range(self.size)]
        self.rings = [self._rings(steps) for steps in self.distances]
        self.from_bases = [
            [min(steps) for steps in zip(*(self.distances[base] for base in of_side))] for of_side in bases
        ]
        self.work = 0

    def _distances_from(self, start):
        steps = [1000] * self.size
        steps[start] = 0
        queue = [start]
        for cell in queue:
            for near in self.links[cell]:
                if steps[near] == 1000:
                    steps[near] = steps[cell] + 1
                    queue.append(near)
        return steps

    def _rings(self, steps):
        """Steps -> the cells so far away, one bit a cell."""
        rings = [0] * self.size
        for cell, step in enumerate(steps):
            if step < self.size:
                rings[step] |= 1 << cell
        return rings

    def line(self, start, end):
        """The cells of the game's LINE."""
        before = {start: start}
        queue = [start]
        for cell in queue:
            for near in self.links[cell]:
                if near not in before:
                    before[near] = cell
                    queue.append(near)
        cells = {start}
        while end != start:
            cells.add(end)
            end = before[end]
        return cells


# --- The rules ---------------------------------------------------------------------------------------------------


def march(board, ants, total, beacons):
    """A side's ants after one turn, for beacons of equal strength."""
    if not beacons or not total:
        return ants
    share, rest = divmod(total, len(beacons))
    left = {cell: count for cell, count in enumerate(ants) if count}
    room = dict.fromkeys(beacons, share or 1)
    moved = [0] * board.size
    board.work += len(left) + len(room)
    fill(board, ants, left, room, moved)
    if left and share and rest:
        for cell in beacons:
            room[cell] = room.get(cell, 0) + 1
        fill(board, ants, left, room, moved)
    for cell, count in left.items():
        moved[cell] += count
    return moved


def fill(board, ants, left, room, moved):
    """Nearest pairs of ants and beacons first. Uses up `left` and `room`."""
    for cell in left.keys() & room.keys():
        send(left, room, moved, cell, cell, cell)
    wanting = sum(1 << cell for cell in room)
    distances, links, rings = board.distances, board.links, board.rings
    steps = 0
    while left and wanting:
        steps += 1
        if steps == board.size:
            return
        board.work += len(left)
        for start in list(left):
            goals = rings[start][steps] & wanting
            while goals and start in left:
                bit = goals & -goals
                goals ^= bit
                goal = bit.bit_length() - 1
                toward = distances[goal]
                best = most = -1
                for near in links[start]:
                    if ants[near] > most and toward[near] < steps:
                        best, most = near, ants[near]
                send(left, room, moved, start, goal, best)
                board.work += 4
                if goal not in room:
                    wanting ^= bit


def send(left, room, moved, start, goal, end):
    count = min(left[start], room[goal])
    moved[end] += count
    left[start] -= count
    room[goal] -= count
    if not left[start]:
        del left[start]
    if not room[goal]:
        del room[goal]


def chains(board, side, ants):
    """Cell -> the largest possible smallest number of ants on a way to a base."""
    found = {}
    queue = [(-ants[base], base) for base in board.bases[side] if ants[base]]
    heapify(queue)
    while queue:
        value, cell = heappop(queue)
        if cell not in found:
            found[cell] = -value
            for near in board.links[cell]:
                if ants[near] and near not in found:
                    heappush(queue, (max(value, -ants[near]), near))
    board.work += 5 * len(found)
    return found


def usable_chains(board, ants):
    """Each side's resource cells and the values of their chains, over cells that the other side does not break."""
    found = [chains(board, side, ants[side]) for side in (0, 1)]
    if not found[0].keys().isdisjoint(found[1]):
        found = [unbroken(board, side, ants[side], found[side], found[1 - side]) for side in (0, 1)]
    return [[(cell, value) for cell, value in of_side.items() if board.kinds[cell]] for of_side in found]


def unbroken(board, side, ants, own, other):
    broken = [cell for cell, value in own.items() if other.get(cell, 0) > value]
    if not broken:
        return own
    usable = list(ants)
    for cell in broken:
        usable[cell] = 0
    return chains(board, side, usable)


def harvest(board, kind, left, usable):
    """What each side takes, as lists of (cell, amount)."""
    kinds = board.kinds
    return [
        [(cell, min(value, left[cell])) for cell, value in of_side if left[cell] and kinds[cell] == kind]
        for of_side in usable
    ]


def shrink(left, harvests):
    """Takes harvests away. Returns whether a resource is empty now."""
    emptied = False
    for cell, amount in harvests[0] + harvests[1]:
        left[cell] = max(0, left[cell] - amount)
        emptied = emptied or not left[cell]
    return emptied


def amount_of(harvests):
    return sum(amount for _, amount in harvests)


def crystal_of(board, left):
    return sum(amount for kind, amount in zip(board.kinds, left) if kind == CRYSTAL)


def look_ahead(board, left, ants, lead, plans, turns):
    """How good the position is after some turns of two plans: the lead, and a share of what is left for more ants."""
    left, ants = list(left), list(ants)
    totals = [sum(counts) for counts in ants]
    beacons = [None, None]
    settled = [False, False]
    usable = ()
    emptied = True
    value = 0.0
    for turn in range(turns):
        for side in (0, 1):
            if emptied:
                cells = plans[side].tree(board, side, left, ants[side], totals[side])[1]
                settled[side] = settled[side] and cells == beacons[side]
                beacons[side] = cells
            if not settled[side]:
                moved = march(board, ants[side], totals[side], beacons[side])
                settled[side] = moved == ants[side]
                if not settled[side]:
                    ants[side] = moved
                    usable = ()
        usable = usable or usable_chains(board, ants)
        eggs = harvest(board, EGG, left, usable)
        emptied = shrink(left, eggs)
        for side in (0, 1):
            if eggs[side]:
                hatch(board, side, ants, totals, amount_of(eggs[side]))
                settled[side] = False
        if eggs[0] or eggs[1]:
            usable = usable_chains(board, ants)
        crystal = harvest(board, CRYSTAL, left, usable)
        emptied = shrink(left, crystal) or emptied
        gain = amount_of(crystal[0]) - amount_of(crystal[1])
        lead += gain
        value += gain * EARLY * (turns - turn)
        rest = crystal_of(board, left)
        if abs(lead) >= rest:
            return (1000.0 - turn if lead > 0 else turn - 1000.0) + lead if lead else 0.0
    return value + lead + rest * (totals[0] - totals[1]) / (totals[0] + totals[1])


def hatch(board, side, ants, totals, count):
    ants[side] = list(ants[side])
    for base in board.bases[side]:
        ants[side][base] += count
        totals[side] += count


# --- Plans -------------------------------------------------------------------------------------------------------


class Plan:
    """A tree to `targets`. `egg`, `patience`: what an egg target is worth to it, and how thin it may get, when it
    grows by itself: from the start, if `grows`, else when a target is empty."""

    def __init__(self, targets=(), egg=2, patience=2.5, grows=True):
        self.targets, self.egg, self.patience, self.grows = targets, egg, patience, grows

    def tree(self, board, side, left, ants, total):
        """(targets, cells)"""
        worth_of = [(0, self.egg, 1.0)[kind] for kind in board.kinds]
        waiting = {cell for cell, amount in enumerate(left) if amount and worth_of[cell]}
        wanted = [target for target in self.targets if target in waiting]
        grows = self.grows or len(wanted) < len(self.targets)
        nearest = board.from_bases[side]
        cells = set(board.bases[side])
        targets = []
        worth = 0
        while waiting:
            if wanted:
                target = wanted.pop(0)
                if target not in waiting:
                    continue
            elif targets and not grows:
                break
            else:
                target = max(waiting, key=lambda cell: (worth_of[cell] / (nearest[cell] + 0.3), -cell))
                cost = nearest[target]
                too_thin = worth_of[target] * len(cells) * self.patience < worth * cost
                if targets and (too_thin or len(cells) + cost > total):
                    break
            targets.append(target)
            for cell in way_to(board, target, cells, nearest, ants, waiting):
                cells.add(cell)
                nearest = list(map(min, nearest, board.distances[cell]))
                board.work += 5 + board.size // 8
                if cell in waiting:
                    waiting.discard(cell)
                    worth += worth_of[cell]
        return targets, cells


def way_to(board, target, cells, nearest, ants, waiting):
    """A shortest way from a tree to a target; of several, over other resources, and where ants are."""
    way = []
    cell = target
    while cell not in cells:
        way.append(cell)
        closer = [near for near in board.links[cell] if nearest[near] < nearest[cell]]
        cell = max(closer, key=lambda near: (near in waiting, ants[near], -near))
    return way


def changed(plan, others):
    """A plan with one change. `others`: resources that are no targets of it, the nearest ones first."""
    targets = list(plan.targets)
    plan = Plan(targets, plan.egg, plan.patience, plan.grows)
    kind = random.randrange(10)
    if kind < 4 and others:
        targets.insert(random.randrange(len(targets) + 1), near_one(others))
    elif kind < 6 and len(targets) > 1:
        targets.pop(random.randrange(len(targets)))
    elif kind < 8 and targets and others:
        targets[random.randrange(len(targets))] = near_one(others)
    elif kind < 9 and len(targets) > 1:
        one, other = random.sample(range(len(targets)), 2)
        targets[one], targets[other] = targets[other], targets[one]
    else:
        plan.patience = random.choice(PATIENCE)
        plan.egg = random.choice(EGG_WORTH)
        plan.grows = random.random() < 0.5
    return plan


def near_one(cells):
    return cells[min(random.randrange(len(cells)), random.randrange(len(cells)))]


def choose(board, left, ants, lead, turn, last, theirs):
    """The best plan against that of the opponent. `last`: my plan of the turn before."""
    board.work = 0
    limit = FIRST_WORK if turn == 1 else WORK
    turns = min(HORIZON, LAST_TURN - turn + 1)
    total = sum(ants[0])

    def value_of(plan):
        return look_ahead(board, left, ants, lead, (plan, theirs), turns)

    best, best_value = last, value_of(last)
    for plan in [Plan((), egg, patience) for patience in PATIENCE for egg in EGG_WORTH]:
        if board.work < limit and (value := value_of(plan)) > best_value:
            best, best_value = plan, value
    base = None
    while board.work < limit:
        if base is not best:
            base = best
            targets, cells = base.tree(board, 0, left, ants[0], total)
            fixed = Plan(targets, base.egg, base.patience, False)
            nearest = [min(steps) for steps in zip(*(board.distances[cell] for cell in cells))]
            others = [cell for cell, amount in enumerate(left) if amount and cell not in targets]
            others.sort(key=nearest.__getitem__)
        board.work += 100
        plan = changed(fixed, others)
        if (value := value_of(plan)) > best_value:
            best, best_value = plan, value
    return best


# --- The opponent ------------------------------------------------------------------------------------------------


class Lines:
    """A plan of another kind: a LINE from the first base to each of the nearest resources."""

    def __init__(self, count):
        self.count = count

    def tree(self, board, side, left, ants, total):
        base = board.bases[side][0]
        steps = board.distances[base]
        targets = sorted((cell for cell, amount in enumerate(left) if amount), key=steps.__getitem__)[: self.count]
        board.work += 5 * len(targets)
        return targets, set().union(*(board.line(base, target) for target in targets))


class Habit:
    """A plan that the opponent may follow. `error`: the share of its ants that went elsewhere, mostly of late."""

    def __init__(self, plan, error):
        self.plan, self.error, self.guess = plan, error, None

    def compare(self, ants):
        """With what the opponent did."""
        if self.guess:
            missing = sum(guessed - seen for guessed, seen in zip(self.guess, ants) if guessed > seen)
            self.error += FORGET * (missing / sum(self.guess) - self.error)

    def predict(self, board, left, ants):
        total = sum(ants)
        self.guess = march(board, ants, total, self.plan.tree(board, 1, left, ants, total)[1])


def all_habits():
    """Every habit with the error that it has before anything is seen."""
    habits = [Habit(Lines(3), 0.3), *[Habit(Lines(count), 0.35) for count in (1, 2, 4, 5)]]
    return habits + [Habit(Plan((), egg, patience), 0.35) for egg in EGG_WORTH for patience in PATIENCE]


# --- Reading and writing -----------------------------------------------------------------------------------------


def read_numbers():
    return [int(word) for word in input().split()]


def read_map():
    size = int(input())
    cells = [read_numbers() for _ in range(size)]
    input()
    bases = (read_numbers(), read_numbers())
    return Map([cell[0] for cell in cells], [sorted(near for near in cell[2:] if near >= 0) for cell in cells], bases)


def read_turn(size):
    """(points or [], three lists by cell: what is left, my ants, the opponent's ants)"""
    numbers = read_numbers()
    points, rows = (numbers, []) if len(numbers) == 2 else ([], [numbers])
    rows += [read_numbers() for _ in range(size - len(rows))]
    return points, [list(column) for column in zip(*rows)]


def harvested_lead(board, before, ants):
    """What the last turn's crystal added to the lead, where the input does not tell the points."""
    mine, theirs = harvest(board, CRYSTAL, before, usable_chains(board, ants))
    return amount_of(mine) - amount_of(theirs)


def main():
    board = read_map()
    habits = all_habits()
    plan = Plan()
    before = [0] * board.size
    lead = 0
    for turn in range(1, LAST_TURN + 1):
        points, (left, *ants) = read_turn(board.size)
        lead = points[0] - points[1] if points else lead + harvested_lead(board, before, ants)
        before = left
        for habit in habits:
            habit.compare(ants[1])
            habit.predict(board, left, ants[1])
        theirs = min(habits, key=lambda habit: habit.error).plan
        plan = choose(board, left, ants, lead, turn, plan, theirs)
        _, beacons = plan.tree(board, 0, left, ants[0], sum(ants[0]))
        print(";".join(f"BEACON {cell} 1" for cell in sorted(beacons)), flush=True)


try:
    main()
except EOFError:
    pass
