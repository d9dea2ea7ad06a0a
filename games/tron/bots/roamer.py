"""Rides to where most cells can be reached, as if nobody else moved; where that is equal, along walls and trails."""

import random

WIDTH, HEIGHT = 30, 20
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}

trails = {}


def beside(x, y):
    """The free cells around a cell."""
    for dx, dy in DIRECTIONS.values():
        cell = (x + dx, y + dy)
        if 0 <= cell[0] < WIDTH and 0 <= cell[1] < HEIGHT and cell not in trails:
            yield cell


def reached(start):
    """How many cells can be reached from a free cell, itself included."""
    seen = {start}
    waiting = [start]
    while waiting:
        for cell in beside(*waiting.pop()):
            if cell not in seen:
                seen.add(cell)
                waiting.append(cell)
    return len(seen)


while True:
    player_count, me = map(int, input().split())
    for player in range(player_count):
        x0, y0, x, y = map(int, input().split())
        if x == -1:
            trails = {cell: owner for cell, owner in trails.items() if owner != player}
        else:
            trails[x0, y0] = trails[x, y] = player
        if player == me:
            my_x, my_y = x, y

    free = set(beside(my_x, my_y))
    worth = {}
    for way, (dx, dy) in DIRECTIONS.items():
        cell = (my_x + dx, my_y + dy)
        if cell in free:
            worth[way] = (reached(cell), -len(list(beside(*cell))), random.random())
    print(max(worth, key=worth.get, default="UP"), flush=True)
