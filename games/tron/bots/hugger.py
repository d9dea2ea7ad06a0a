"""Stays close to walls and trails: of the free cells beside it, it takes one with few exits, but never with none."""

import random

WIDTH, HEIGHT = 30, 20
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}

trails = {}


def exits(x, y):
    """Direction -> the free cell there."""
    cells = {way: (x + dx, y + dy) for way, (dx, dy) in DIRECTIONS.items()}
    return {
        way: (x, y)
        for way, (x, y) in cells.items()
        if 0 <= x < WIDTH and 0 <= y < HEIGHT and (x, y) not in trails
    }


while True:
    player_count, me = map(int, input().split())
    for player in range(player_count):
        x0, y0, x, y = map(int, input().split())
        if x == -1:
            trails = {cell: owner for cell, owner in trails.items() if owner != player}
        else:
            trails[x0, y0] = trails[x, y] = player
        if player == me:
            head = (x, y)

    worth = {way: len(exits(*cell)) or 9 for way, cell in exits(*head).items()}
    least = min(worth.values(), default=0)
    print(random.choice([way for way in worth if worth[way] == least] or ["UP"]), flush=True)
