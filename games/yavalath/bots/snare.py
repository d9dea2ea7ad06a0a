"""Snare: makes threats that must be answered, and looks for a chain of them that ends in a win.

A threat is a cell that would make four; the opponent must fill it. Two threats at once win, and so does a threat on a
cell that would give the opponent a line of three. Snare plays the first of OWN_CHAIN threats that lead there. If there
is none, it tries each cell and avoids those after which the opponent wins with a single threat; of the rest it plays
the one that is best for its own next threats and worst for the opponent's.

What it does not see: quiet moves that prepare a chain, chains of the opponent of two threats and more, and answers
that are threats themselves.

The board is two integers, one bit a cell. Rows are WIDTH bits apart, wider than the board, so that shifting by 1, WIDTH
or WIDTH + 1 follows a line and never runs into the next row.
"""

import random
import sys

OWN_CHAIN = 3
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


def threats_to_make(own, other):
    """Moves that make a threat and no line of three: [(move, the cells that the opponent must fill)]."""
    empty = ALL & ~(own | other)
    found = []
    for move in bits(empty & ~lines(own)[1]):
        fours = lines(own | move)[0] & empty & ~move
        if fours:
            found.append((move, fours))
    return found


def chain(own, other, length):
    """The first of at most `length` threats that win, or 0. Neither side can make four at once."""
    other_threes = lines(other)[1]
    moves = threats_to_make(own, other)
    for move, fours in moves:
        if fours & (fours - 1) or fours & other_threes:
            return move
    if length > 1:
        for move, answer in moves:
            mine, theirs = own | move, other | answer
            if not lines(theirs)[0] & ALL & ~(mine | theirs) and chain(mine, theirs, length - 1):
                return move
    return 0


def value(own, other):
    """Threats that can be made, cells that the opponent may not use, stones off the edge."""
    empty = ALL & ~(own | other)
    threats = len(threats_to_make(own, other)) - len(threats_to_make(other, own))
    forbidden = (lines(other)[1] & empty).bit_count() - (lines(own)[1] & empty).bit_count()
    return 10 * threats + 8 * forbidden + 2 * (own & INNER).bit_count()


def worth(own, other):
    """How good the position is for `own`, whose opponent is to move and cannot make four."""
    empty = ALL & ~(own | other)
    threats = lines(own)[0] & empty
    if not threats:
        return -1000 if chain(other, own, 1) else value(own, other)
    if threats & (threats - 1) or threats & lines(other)[1]:
        return 1000
    return value(own, other | threats) - 5


def choose(own, other):
    """Equal moves are shuffled, so that no two games are the same."""
    empty = ALL & ~(own | other)
    fours, threes = lines(own)
    if fours & empty:
        return next(bits(fours & empty))
    safe = empty & ~threes
    stops = lines(other)[0] & empty
    if not stops and (winning := chain(own, other, OWN_CHAIN)):
        return winning
    moves = list(bits(stops & safe or safe or empty))
    random.shuffle(moves)
    return max(moves, key=lambda move: worth(own | move, other))


def opening(own_id, other):
    """The first move: a stone on the edge, which is not worth stealing; as second, steal any stone off the edge."""
    if own_id == "2" and other & INNER:
        return other
    return random.choice(list(bits(ALL & ~INNER))) if own_id == "1" else 0


def main():
    own_id = sys.stdin.readline().strip()
    first = True
    while rows := sys.stdin.readline():
        stones = {"0": 0, "1": 0, "2": 0}
        for y in range(int(rows)):
            for x, stone in enumerate(sys.stdin.readline().strip()):
                stones[stone] |= BIT_AT[x, y]
        sys.stdin.readline()
        own, other = stones["1"], stones["2"]
        x, y = PLACE_OF[(opening(own_id, other) if first else 0) or choose(own, other)]
        first = False
        print(x, y, flush=True)


main()
