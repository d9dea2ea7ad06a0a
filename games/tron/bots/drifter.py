"""Rides straight on, and turns when something is in its way, or on a whim."""

import random

WIDTH, HEIGHT = 30, 20
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
WHIM = 0.05

trails = {}
last = random.choice(list(DIRECTIONS))

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

    free = [
        way
        for way, (dx, dy) in DIRECTIONS.items()
        if 0 <= my_x + dx < WIDTH and 0 <= my_y + dy < HEIGHT and (my_x + dx, my_y + dy) not in trails
    ]
    if last not in free or random.random() < WHIM:
        last = random.choice(free or [last])
    print(last, flush=True)
