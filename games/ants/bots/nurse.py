"""Nurse: raises ants first. It takes near eggs until it has many ants for the crystal that is left, then the crystal.

Its beacons are a tree that grows from its bases to what brings most for the way, as long as its chains stay thick enough:
a chain is worth its weakest link. It never looks at the opponent's ants, and never plays a turn ahead.
"""

EGG = 1
PER_CELL = 2.0
"""So many ants on each cell of the tree, at least."""
EGG_WORTH = 8.0
"""What eggs are worth, if crystal is worth 1 ..."""
ENOUGH = 1.0
"""... until there are so many ants for each crystal that is left. Then eggs are worth nothing."""


def read_numbers():
    return [int(word) for word in input().split()]


def steps_from(start, neighbours):
    """Steps from a cell to each other cell."""
    steps = {start: 0}
    queue = [start]
    for cell in queue:
        for near in neighbours[cell]:
            if near not in steps:
                steps[near] = steps[cell] + 1
                queue.append(near)
    return steps


def way(start, end, steps, neighbours, liked):
    """The cells of a shortest way, without its end; of several, over cells that are liked more."""
    cells = []
    while start != end:
        cells.append(start)
        closer = [near for near in neighbours[start] if steps[end][near] < steps[end][start]]
        start = max(closer, key=liked)
    return cells


def main():
    kinds, neighbours = [], []
    for _ in range(int(input())):
        kind, _, *around = read_numbers()
        kinds.append(kind)
        neighbours.append([cell for cell in around if cell >= 0])
    cells = range(len(kinds))
    input()
    bases = read_numbers()
    input()
    steps = [steps_from(cell, neighbours) for cell in cells]

    while True:
        first = read_numbers()
        rows = [first] if len(first) == 3 else []  # else the points, in the full game
        rows += [read_numbers() for _ in range(len(kinds) - len(rows))]
        left, ants = [row[0] for row in rows], [row[1] for row in rows]
        crystal = sum(left[cell] for cell in cells if kinds[cell] != EGG)
        egg_worth = EGG_WORTH if sum(ants) < ENOUGH * crystal else 0
        worth = {cell: egg_worth if kinds[cell] == EGG else 1 for cell in cells if left[cell]}

        tree = set(bases)
        while waiting := [cell for cell in worth if worth[cell] and cell not in tree]:
            joints = {cell: min(tree, key=steps[cell].__getitem__) for cell in waiting}
            target = max(waiting, key=lambda cell: worth[cell] / (steps[cell][joints[cell]] + 0.3))
            joint = joints[target]
            thinnest = sum(ants) / (len(tree) + steps[target][joint])
            if len(tree) > len(bases) and thinnest < PER_CELL:
                break
            tree.update(way(target, joint, steps, neighbours, lambda cell: (cell in worth, ants[cell])))
        print(";".join(f"BEACON {cell} 1" for cell in tree), flush=True)


try:
    main()
except EOFError:
    pass
