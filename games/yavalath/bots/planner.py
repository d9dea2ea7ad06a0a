"""Planner: looks one move and one answer ahead, and counts threats.

The board is two integers, one bit a cell. Rows are WIDTH bits apart, wider than the board, so that shifting by 1, WIDTH
or WIDTH + 1 follows a line and never runs into the next row.
"""

import random
import sys

WIDTH = 12
DIRECTIONS = (1, WIDTH, WIDTH + 1)
ROW_LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
BIT_AT = {(x, y): 1 << (y * WIDTH + x + max(0, y - 4)) for y, length in enumerate(ROW_LENGTHS) for x in range(length)}
PLACE_OF = {bit: place for place, bit in BIT_AT.items()}
INNER = sum(bit for (x, y), bit in BIT_AT.items() if 0 < y < 8 and 0 < x < ROW_LENGTHS[y] - 1)
ALL = sum(PLACE_OF)


def lines(own):
    """(cells that complete a line of four, cells that complete a line of three), whether free or not."""
    fours = threes = 0
    for step in DIRECTIONS:
        after, before = own >> step, own << step
        two_after, two_before = after & own >> 2 * step, before & own << 2 * step
        threes |= two_after | two_before | after & before
        fours |= two_after & (own >> 3 * step | before) | two_before & (own << 3 * step | after)
    return fours, threes


def bits(cells):
    while cells:
        bit = cells & -cells
        yield bit
        cells ^= bit


def value(own, other):
    """How good the position is for `own`, whose opponent is to move."""
    empty = ALL & ~(own | other)
    own_fours, own_threes = lines(own)
    other_fours, other_threes = lines(other)
    if other_fours & empty:
        return -1000
    threats = own_fours & empty
    if threats & (threats - 1) or threats & other_threes:
        return 900
    forbidden = (other_threes & empty).bit_count() - (own_threes & empty & ~own_fours).bit_count()
    return forbidden + 2 * bool(threats) + 0.3 * (own & INNER).bit_count()


def worst_answer(own, other):
    """The value after the opponent's best answer, as a quick guess: its best next threat."""
    empty = ALL & ~(own | other)
    threats = lines(own)[0] & empty
    answers = threats or empty & ~lines(other)[1]
    return max((value(other | answer, own) for answer in bits(answers)), default=-900)


def choose(own, other, stolen):
    empty = ALL & ~(own | other)
    fours, threes = lines(own)
    if fours & empty:
        return next(bits(fours & empty))
    safe = empty & ~threes
    stops = lines(other)[0] & safe
    best, best_value = next(bits(safe or empty)), -10_000
    for move in bits(stops or safe):
        after = own | move
        worth = value(after, other)
        if -900 < worth < 900:
            worth -= worst_answer(after, other)
        worth += random.random()
        if worth > best_value:
            best, best_value = move, worth
    if stolen and stolen & INNER:
        return stolen
    return best


def main():
    own_id = sys.stdin.readline().strip()
    first = True
    while rows := sys.stdin.readline():
        stones = {"0": 0, "1": 0, "2": 0}
        for y in range(int(rows)):
            for x, stone in enumerate(sys.stdin.readline().strip()):
                stones[stone] |= BIT_AT[x, y]
        sys.stdin.readline()
        x, y = PLACE_OF[choose(stones["1"], stones["2"], stones["2"] if first and own_id == "2" else 0)]
        first = False
        print(x, y, flush=True)


main()
