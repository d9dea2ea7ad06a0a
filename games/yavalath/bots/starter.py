"""A first Yavalath bot: it plays a random empty cell. Read, change, win."""

import random

first_turn = True

while True:
    if first_turn:
        my_id = int(input())  # 1 if you begin, 2 if your opponent does
        first_turn = False

    row_count = int(input())  # always 9
    rows = [input() for _ in range(row_count)]  # 0 empty, 1 your stone, 2 your opponent's
    last_x, last_y = map(int, input().split())  # your opponent's last move; -1 -1 if you begin

    empty_cells = [
        (x, y) for y, row in enumerate(rows) for x, stone in enumerate(row) if stone == "0"
    ]
    x, y = random.choice(empty_cells)
    print(x, y, "hello", flush=True)

    # Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
    # from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
