"""Watcher: takes a line of four, stops the opponent's, never makes a three, and else plays near the middle."""

import random
import sys


def column(x, y):
    """A slanted column: with it, the three directions are the plain steps (1, 0), (1, 1) and (0, 1)."""
    return x + max(0, y - 4)


def longest_line(stones, cell):
    """The longest line of `stones` that a stone on `cell` would make."""
    longest = 1
    for step_column, step_row in ((1, 0), (1, 1), (0, 1)):
        length = 1
        for side in (1, -1):
            place = (cell[0] + side * step_column, cell[1] + side * step_row)
            while place in stones:
                length += 1
                place = (place[0] + side * step_column, place[1] + side * step_row)
        longest = max(longest, length)
    return longest


def choose(own, other, empty):
    lengths = {cell: longest_line(own, cell) for cell in empty}
    wins = [cell for cell in empty if lengths[cell] >= 4]
    safe = [cell for cell in empty if lengths[cell] != 3]
    stops = [cell for cell in safe if longest_line(other, cell) >= 4]
    return min(wins or stops or safe or empty, key=lambda cell: (distance(cell), random.random()))


def distance(cell):
    """Steps from the middle, with some chance in it, so that no two games are the same."""
    across, down = cell[0] - 4, cell[1] - 4
    return max(abs(across), abs(down), abs(across - down)) + random.choice((0, 1, 2))


def main():
    sys.stdin.readline()
    while rows := sys.stdin.readline():
        stones = {"0": [], "1": [], "2": []}
        for y in range(int(rows)):
            for x, stone in enumerate(sys.stdin.readline().strip()):
                stones[stone].append((column(x, y), y))
        sys.stdin.readline()
        chosen, y = choose(set(stones["1"]), set(stones["2"]), stones["0"])
        print(chosen - max(0, y - 4), y, flush=True)


main()
