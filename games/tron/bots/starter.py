"""A first Tron bot: it rides to a random free cell. Read, change, win."""

import random

WIDTH, HEIGHT = 30, 20
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}

trails = {}  # (x, y) -> whose trail is there

while True:
    player_count, me = map(int, input().split())
    heads = []
    for player in range(player_count):
        x0, y0, x, y = map(int, input().split())  # where its trail begins, and where it is now
        heads.append((x, y))
        if x == -1:  # it is out, and its trail is gone
            trails = {cell: owner for cell, owner in trails.items() if owner != player}
        else:
            trails[x0, y0] = trails[x, y] = player

    my_x, my_y = heads[me]
    ways = []
    for direction, (dx, dy) in DIRECTIONS.items():
        x, y = my_x + dx, my_y + dy
        if 0 <= x < WIDTH and 0 <= y < HEIGHT and (x, y) not in trails:
            ways.append(direction)
    print(random.choice(ways or ["UP"]), flush=True)

    # Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
    # and take the way with the most.
