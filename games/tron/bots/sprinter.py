"""Rides straight on. When something is in its way, or now and then, it turns to where there is most room, and from
there the longest way straight on."""

import random

WIDTH, HEIGHT = 30, 20
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
WHIM = 0.05

trails = {}
last = random.choice(list(DIRECTIONS))


def is_free(x, y):
    return 0 <= x < WIDTH and 0 <= y < HEIGHT and (x, y) not in trails


def run(x, y, way):
    """How many free cells there are in a row beside a cell."""
    dx, dy = DIRECTIONS[way]
    length = 0
    while is_free(x + dx, y + dy):
        x, y, length = x + dx, y + dy, length + 1
    return length


def room(x, y):
    """How many cells can be reached from a free cell, itself included."""
    seen = {(x, y)}
    waiting = [(x, y)]
    while waiting:
        x, y = waiting.pop()
        for dx, dy in DIRECTIONS.values():
            cell = (x + dx, y + dy)
            if cell not in seen and is_free(*cell):
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

    runs = {way: run(my_x, my_y, way) for way in DIRECTIONS}
    if runs[last] == 0 or random.random() < WHIM:
        worth = {
            way: (room(my_x + DIRECTIONS[way][0], my_y + DIRECTIONS[way][1]), runs[way], random.random())
            for way in DIRECTIONS
            if runs[way]
        }
        last = max(worth, key=worth.get, default=last)
    print(last, flush=True)
