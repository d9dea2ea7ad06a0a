"""Counts the cells that it reaches before all others, for each of its moves, and those that the others reach first."""

import random

WIDTH, HEIGHT = 30, 20
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
NOBODY = -1
MEETING = -250  # another cycle may ride to the same cell

trails = {}


def beside(x, y):
    """The free cells around a cell."""
    for dx, dy in DIRECTIONS.values():
        cell = (x + dx, y + dy)
        if 0 <= cell[0] < WIDTH and 0 <= cell[1] < HEIGHT and cell not in trails:
            yield cell


def shares(mine, others, me):
    """How many cells each player reaches first. My cycle stands on `mine` already, so the others move before it."""
    owner = {mine: me}
    counts = {player: 0 for player in others} | {me: 1}
    edges = {player: [head] for player, head in others.items()} | {me: [mine]}
    while any(edges.values()):
        reached = {}
        for player, edge in edges.items():
            for cell in edge:
                for near in beside(*cell):
                    if near not in owner:
                        reached[near] = player if reached.get(near, player) == player else NOBODY
        edges = {player: [] for player in edges}
        for cell, player in reached.items():
            owner[cell] = player
            if player != NOBODY:
                counts[player] += 1
                edges[player].append(cell)
    return counts


while True:
    player_count, me = map(int, input().split())
    heads = {}
    for player in range(player_count):
        x0, y0, x, y = map(int, input().split())
        if x == -1:
            trails = {cell: owner for cell, owner in trails.items() if owner != player}
        else:
            trails[x0, y0] = trails[x, y] = player
            heads[player] = (x, y)

    my_x, my_y = heads.pop(me)
    free = set(beside(my_x, my_y))
    threatened = {cell for head in heads.values() for cell in beside(*head)}
    worth = {}
    for way, (dx, dy) in DIRECTIONS.items():
        cell = (my_x + dx, my_y + dy)
        if cell not in free:
            continue
        trails[cell] = me
        counts = shares(cell, heads, me)
        theirs = sum(counts[player] for player in heads)
        exits = len(list(beside(*cell)))
        del trails[cell]
        # Few exits: along walls and trails, which leaves no gaps behind.
        value = 3 * counts[me] - theirs - 2 * exits + (MEETING if cell in threatened else 0)
        worth[way] = (value, random.random())
    print(max(worth, key=worth.get, default="UP"), flush=True)
