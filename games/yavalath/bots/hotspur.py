"""Hotspur: attacks from its first stone on, and is so eager for longer lines that it often makes a losing three.

A threat is a cell that would make four. Hotspur completes fours, stops the opponent's, and wins with two threats in a
row if it can; else it plays where it can make the most threats next.

What it does not see: anything that the opponent prepares. And where a stone would make a line of three, it puts it
there in RASH of such turns, which loses at once.

The board is two integers, one bit a cell. Rows are WIDTH bits apart, wider than the board, so that shifting by 1, WIDTH
or WIDTH + 1 follows a line and never runs into the next row.
"""

import random
import sys

RASH = 0.4
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


def winning_threat(own, other):
    """A move that makes two threats at once, or one on a cell that gives the opponent a line of three; or 0."""
    other_threes = lines(other)[1]
    moves = threats_to_make(own, other)
    return next((move for move, fours in moves if fours & (fours - 1) or fours & other_threes), 0)


def attack(own, other):
    """A threat that wins, or one whose answer lets the next one win; or 0."""
    if move := winning_threat(own, other):
        return move
    for move, answer in threats_to_make(own, other):
        mine, theirs = own | move, other | answer
        if not lines(theirs)[0] & ALL & ~(mine | theirs) and winning_threat(mine, theirs):
            return move
    return 0


def choose(own, other):
    """Equal moves are shuffled, so that no two games are the same."""
    empty = ALL & ~(own | other)
    fours, threes = lines(own)
    if fours & empty:
        return next(bits(fours & empty))
    if threes & empty and random.random() < RASH:
        return random.choice(list(bits(threes & empty)))
    stops = lines(other)[0] & empty
    if not stops and (winning := attack(own, other)):
        return winning
    safe = empty & ~threes
    moves = list(bits(stops & safe or safe or empty))
    random.shuffle(moves)
    return max(moves, key=lambda move: promise(own | move, other))


def promise(own, other):
    """Threats that can be made next. One that is on the board counts against it: the opponent will fill the cell."""
    return len(threats_to_make(own, other)) - 5 * bool(lines(own)[0] & ALL & ~(own | other))


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
