"""Queen: makes many plans each turn, plays each of them some turns ahead against a likely opponent, keeps the best.

A plan is a set of beacons, all of strength 1: a network that grows from the bases, one target after the other. Plans
differ in what they are keen on (eggs or crystal), in how many ants they want on each cell, and in single targets more
or less. Looking ahead follows the rules of the game, harvests and attack chains included, in a smaller form.
"""

from heapq import heapify, heappop, heappush
from time import process_time

EGG, CRYSTAL = 1, 2
LAST_TURN = 100
HORIZON = 11
CPU_S = 0.025
"""No new plan is begun in a turn after so much CPU time."""
PLAYED_PLANS = 14
DROPPED = 4
ADDED = 4
"""How many targets are left out of the best plan, and added to it, one at a time."""
KEEN = ((1.0, 1.0), (2.0, 1.0), (4.0, 0.5), (1.0, 2.0), (0.3, 2.0))
"""What an egg target and a crystal target are worth to a plan."""
ANTS_PER_CELL = (1.0, 1.6, 2.5, 4.0)


class Map:
    """What does not change: kinds of cells, links between them, all distances, bases of both sides."""

    def __init__(self, kinds, links, bases):
        self.kinds = kinds
        self.links = links
        self.bases = bases
        self.size = len(kinds)
        self.distances = [self._distances_from(cell) for cell in range(self.size)]

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


# --- Looking ahead -----------------------------------------------------------------------------------------------


def march(board, ants, beacons):
    """A side's ants after one turn; the allocation of the game for beacons of equal strength."""
    left = {cell: count for cell, count in enumerate(ants) if count}
    total = sum(left.values())
    if not total or not beacons:
        return ants
    moved = [0] * board.size
    share, rest = divmod(total, len(beacons))
    room = dict.fromkeys(beacons, max(1, share))
    fill(board, ants, left, room, moved)
    if left:
        for cell in beacons:
            room[cell] = room.get(cell, 0) + (1 if rest and share else 0)
        fill(board, ants, left, room, moved)
    return moved


def fill(board, ants, left, room, moved):
    for cell in left.keys() & room.keys():
        send(left, room, cell, cell, cell, moved)
    distances = board.distances
    pairs = [(distances[beacon][start], start, beacon) for beacon, places in room.items() if places for start in left]
    pairs.sort()
    for steps, start, beacon in pairs:
        if start in left and room.get(beacon):
            toward = distances[beacon]
            best = most = -1
            for near in board.links[start]:
                if toward[near] == steps - 1 and ants[near] > most:
                    best, most = near, ants[near]
            send(left, room, start, beacon, best, moved)


def send(left, room, start, beacon, goal, moved):
    count = min(left[start], room[beacon])
    moved[goal] += count
    left[start] -= count
    room[beacon] -= count
    if not left[start]:
        del left[start]
    if not room[beacon]:
        del room[beacon]


def chains(links, bases, ants):
    """Cell -> the largest possible smallest number of ants on a way to a base."""
    found = {}
    queue = [(-ants[base], base) for base in bases if ants[base]]
    heapify(queue)
    while queue:
        value, cell = heappop(queue)
        if cell not in found:
            found[cell] = -value
            for near in links[cell]:
                if ants[near] and near not in found:
                    heappush(queue, (max(value, -ants[near]), near))
    return found


def unbroken(board, side, ants, own, other):
    broken = [cell for cell, value in own.items() if other.get(cell, 0) > value]
    if not broken:
        return own
    usable = list(ants)
    for cell in broken:
        usable[cell] = 0
    return chains(board.links, board.bases[side], usable)


def usable_chains(board, ants):
    """Each side's chains over the cells that the other side does not break."""
    own, other = (chains(board.links, board.bases[side], ants[side]) for side in (0, 1))
    return unbroken(board, 0, ants[0], own, other), unbroken(board, 1, ants[1], other, own)


def harvest(board, kind, left, usable):
    """What each side takes, as lists of (cell, amount)."""
    kinds = board.kinds
    return [
        [(cell, min(value, left[cell])) for cell, value in of_side.items() if left[cell] and kinds[cell] == kind]
        for of_side in usable
    ]


def take(left, taken):
    for cell, amount in taken[0] + taken[1]:
        left[cell] = max(0, left[cell] - amount)


def look_ahead(board, left, ants, lead, plans, turns):
    """How good the position is after some turns of two plans: the lead, and a share of what is left for more ants."""
    left = list(left)
    ants = list(ants)
    value = 0.0
    for turn in range(turns):
        ants = [march(board, ants[side], plans[side]) for side in (0, 1)]
        usable = usable_chains(board, ants)
        eggs = harvest(board, EGG, left, usable)
        if eggs[0] or eggs[1]:
            for side in (0, 1):
                hatched = sum(amount for _, amount in eggs[side])
                if hatched:
                    ants[side] = list(ants[side])
                    for base in board.bases[side]:
                        ants[side][base] += hatched
            take(left, eggs)
            usable = usable_chains(board, ants)
        crystal = harvest(board, CRYSTAL, left, usable)
        gain = sum(amount for _, amount in crystal[0]) - sum(amount for _, amount in crystal[1])
        lead += gain
        value += gain * 0.02 * (turns - turn)
        take(left, crystal)
        rest = sum(amount for cell, amount in enumerate(left) if board.kinds[cell] == CRYSTAL)
        if lead >= rest:
            return 1000.0 + lead - turn
        if -lead >= rest:
            return -1000.0 + lead + turn
    mine, theirs = sum(ants[0]), sum(ants[1])
    return value + lead + rest * (mine - theirs) / (mine + theirs)


# --- Plans -------------------------------------------------------------------------------------------------------


def grow(board, side, left, ants, worth, ants_per_cell, first=()):
    """(targets, beacons) of a network. Each step adds the target that is worth most for the cells that it costs."""
    most_cells = sum(ants) / ants_per_cell
    network = set(board.bases[side])
    nearest = [min(steps) for steps in zip(*(board.distances[base] for base in board.bases[side]))]
    waiting = {cell for cell, amount in enumerate(left) if amount and worth[board.kinds[cell]] > 0}
    targets = []
    while waiting:
        if len(targets) < len(first):
            best = first[len(targets)]
        else:
            best = max(waiting, key=lambda cell: (worth[board.kinds[cell]] / (nearest[cell] + 0.5), -cell))
            if targets and len(network) + nearest[best] > most_cells:
                break
        targets.append(best)
        waiting.discard(best)
        for cell in path_to(board, network, nearest, best, ants):
            network.add(cell)
            nearest = [a if a < b else b for a, b in zip(nearest, board.distances[cell])]
    return targets, frozenset(network)


def path_to(board, network, nearest, target, ants):
    """The cells from the network to a target; of equally short ways one with more ants."""
    path = []
    cell = target
    while cell not in network:
        path.append(cell)
        closer = [near for near in board.links[cell] if nearest[near] == nearest[cell] - 1]
        cell = max(closer, key=lambda near: (near in network, ants[near]))
    return path


def plans_of(board, left, ants):
    """(targets, beacons) of networks of mine, the plain ones first."""
    for eggs, crystal in KEEN:
        for ants_per_cell in ANTS_PER_CELL:
            yield grow(board, 0, left, ants, (0, eggs, crystal), ants_per_cell)


def choose(board, left, ants, lead, turn, last):
    """(targets, beacons) of the best plan. `last`: the targets of the turn before, which may still be the best ones."""
    end = process_time() + CPU_S
    _, answer = grow(board, 1, left, ants[1], (0, 1.5, 1.0), 2.0)
    turns = min(HORIZON, LAST_TURN - turn + 1)
    worth = {}
    targets_of = {}

    def play(targets, beacons):
        if beacons not in worth and (not worth or process_time() < end):
            worth[beacons] = look_ahead(board, left, ants, lead, (beacons, answer), turns)
            targets_of[beacons] = targets

    def play_targets(targets):
        if targets and process_time() < end:
            play(*grow(board, 0, left, ants[0], (0, 1, 1), 1000, targets))

    play_targets([cell for cell in last if left[cell]])
    for targets, beacons in plans_of(board, left, ants[0]):
        play(targets, beacons)
        if len(worth) > PLAYED_PLANS or process_time() >= end:
            break
    targets = targets_of[max(worth, key=worth.get)]
    for dropped in targets[:DROPPED]:
        play_targets([target for target in targets if target != dropped])
    others = [cell for cell, amount in enumerate(left) if amount and cell not in targets]
    others.sort(key=lambda cell: min((board.distances[cell][target] for target in targets), default=0))
    for added in others[:ADDED]:
        play_targets([*targets, added])
    best = max(worth, key=worth.get)
    return targets_of[best], best


# --- Reading and writing -----------------------------------------------------------------------------------------


def read_numbers():
    return [int(word) for word in input().split()]


def main():
    size = int(input())
    cells = [read_numbers() for _ in range(size)]
    input()
    bases = (read_numbers(), read_numbers())
    board = Map([cell[0] for cell in cells], [sorted(near for near in cell[2:] if near >= 0) for cell in cells], bases)
    last = []
    lead = 0
    turn = 0
    while True:
        turn += 1
        numbers = read_numbers()
        rows = []
        if len(numbers) == 2:
            lead = numbers[0] - numbers[1]
        else:
            rows.append(numbers)
        rows += [read_numbers() for _ in range(size - len(rows))]
        left, mine, theirs = (list(column) for column in zip(*rows))
        last, beacons = choose(board, left, (mine, theirs), lead, turn, last)
        print(";".join(f"BEACON {cell} 1" for cell in sorted(beacons)) or "WAIT", flush=True)


try:
    main()
except EOFError:
    pass
