"""Keystone, the boss: alpha-beta search that follows every forced sequence to its end.

The board is two integers, one bit a cell. Rows are WIDTH bits apart, wider than the board, so that shifting by 1, WIDTH
or WIDTH + 1 follows a line and never runs into the next row.

A threat (a cell that would make four) must be answered at once, and a player whose only answer makes a three is lost.
So forced answers cost the search no depth, and `attack` looks for a win by threats alone, at every leaf.
It stops by its own CPU clock, far below the limit of a turn.
"""

import gc
import random
import sys
from time import process_time

TURN_S = 0.055
WIDTH = 12
DIRECTIONS = (1, WIDTH, WIDTH + 1)
ROW_LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
BIT_AT = {(x, y): 1 << (y * WIDTH + x + max(0, y - 4)) for y, length in enumerate(ROW_LENGTHS) for x in range(length)}
PLACE_OF = {bit: place for place, bit in BIT_AT.items()}
ALL = sum(PLACE_OF)


def distance(x, y):
    """Steps from the middle of the board."""
    across, down = x + max(0, y - 4) - 4, y - 4
    return max(abs(across), abs(down), abs(across - down))


RINGS = [sum(bit for (x, y), bit in BIT_AT.items() if distance(x, y) == ring) for ring in range(5)]
INNER = RINGS[0] | RINGS[1] | RINGS[2] | RINGS[3]
WIN = 100_000
LEAF_THREATS = 4
ROOT_THREATS = 12


class OutOfTime(Exception):
    pass


def lines(own):
    """(cells that complete a line of four, cells that complete a line of three), whether free or not."""
    fours = threes = 0
    for step in DIRECTIONS:
        after, before = own >> step, own << step
        two_after, two_before = after & own >> 2 * step, before & own << 2 * step
        threes |= two_after | two_before | after & before
        fours |= two_after & (own >> 3 * step | before) | two_before & (own << 3 * step | after)
    return fours, threes


def threat_makers(own, empty):
    """Cells that make a threat: two stones and two free cells on four cells in line, any order."""
    makers = 0
    for step in DIRECTIONS:
        own_1, own_2, own_3 = own >> step, own >> 2 * step, own >> 3 * step
        free_1, free_2, free_3 = empty >> step, empty >> 2 * step, empty >> 3 * step
        ends, middle = empty & free_3 & own_1 & own_2, own & own_3 & free_1 & free_2
        first_third, second_last = empty & free_2 & own_1 & own_3, free_1 & free_3 & own & own_2
        first_two, last_two = empty & free_1 & own_2 & own_3, free_2 & free_3 & own & own_1
        makers |= ends | first_third | first_two
        makers |= (middle | second_last | first_two) << step
        makers |= (middle | first_third | last_two) << 2 * step
        makers |= (ends | second_last | last_two) << 3 * step
    return makers


def bits(cells):
    while cells:
        bit = cells & -cells
        yield bit
        cells ^= bit


class Search:
    def __init__(self, deadline):
        self.deadline = deadline
        self.nodes = 0
        self.best_moves = {}
        self.history = {}

    def count(self):
        self.nodes += 1
        if not self.nodes & 15 and process_time() > self.deadline:
            raise OutOfTime

    def attack(self, own, other, depth):
        """A first move that wins by threats alone, or 0. Neither side can make four at once."""
        self.count()
        empty = ALL & ~(own | other)
        other_threes = lines(other)[1]
        moves = threat_makers(own, empty) & ~lines(own)[1]
        for move in bits(moves):
            if self.attack_wins(own | move, other, empty ^ move, other_threes, depth):
                return move
        return 0

    def attack_wins(self, own, other, empty, other_threes, depth):
        """Whether the threat just made wins, with all that must follow."""
        threats = lines(own)[0] & empty
        if not threats:
            return False
        if threats & (threats - 1) or threats & other_threes:
            return True
        if depth == 0:
            return False
        other |= threats
        empty ^= threats
        counter = lines(other)[0] & empty
        if not counter:
            return self.attack(own, other, depth - 1) != 0
        own_threes = lines(own)[1]
        if counter & (counter - 1) or counter & own_threes:
            return False
        self.count()
        return self.attack_wins(own | counter, other, empty ^ counter, lines(other)[1], depth - 1)

    def value(self, own, other, empty, own_threes, other_threes):
        """For the side to move: threats that can be made, cells the other may not use, stones near the middle."""
        own_makers = (threat_makers(own, empty) & ~own_threes).bit_count()
        other_makers = (threat_makers(other, empty) & ~other_threes).bit_count()
        forbidden = (other_threes & empty).bit_count() - (own_threes & empty).bit_count()
        middle = (own & INNER).bit_count() - (other & INNER).bit_count()
        return 10 * (own_makers - other_makers) + 8 * forbidden + 2 * middle + 6

    def negamax(self, own, other, depth, alpha, beta, ply):
        self.count()
        empty = ALL & ~(own | other)
        own_fours, own_threes = lines(own)
        if own_fours & empty:
            return WIN - ply
        other_fours, other_threes = lines(other)
        stops = other_fours & empty
        if stops:
            if stops & (stops - 1) or stops & own_threes:
                return ply + 2 - WIN
            return -self.negamax(other, own | stops, depth, -beta, -alpha, ply + 1)
        safe = empty & ~own_threes
        if not safe:
            return ply + 1 - WIN if empty else 0
        if depth <= 0:
            if self.attack(own, other, LEAF_THREATS):
                return WIN - ply - 50
            return self.value(own, other, empty, own_threes, other_threes)
        best = -WIN
        for move in self.ordered(own, other, safe):
            worth = -self.negamax(other, own | move, depth - 1, -beta, -alpha, ply + 1)
            if worth > best:
                best = worth
                self.best_moves[own, other] = move
                alpha = max(alpha, worth)
                if alpha >= beta:
                    self.history[move] = self.history.get(move, 0) + depth * depth
                    break
        return best

    def ordered(self, own, other, safe):
        """The best move of the search before, then by what has cut off elsewhere."""
        known = self.best_moves.get((own, other), 0)
        history = self.history
        return sorted(bits(safe), key=lambda move: WIN if move == known else history.get(move, 0), reverse=True)


def choose(own, other, deadline):
    empty = ALL & ~(own | other)
    own_fours, own_threes = lines(own)
    if own_fours & empty:
        return next(bits(own_fours & empty))
    safe = empty & ~own_threes
    stops = lines(other)[0] & empty
    if stops & safe:
        safe &= stops
    if not safe:
        return next(bits(empty))
    moves = list(bits(safe))
    random.shuffle(moves)
    best = moves[0]
    if len(moves) == 1:
        return best
    found = best
    search = Search(deadline)
    for ring, cells in enumerate(RINGS):
        search.history.update((move, 4 - ring) for move in bits(cells))
    try:
        if winning := search.attack(own, other, ROOT_THREATS):
            return winning
        for depth in range(1, len(moves) + 1):
            alpha = -WIN
            found = best
            for move in sorted(moves, key=lambda move: move != best):
                worth = -search.negamax(other, own | move, depth - 1, -WIN, -alpha, 1)
                if worth > alpha:
                    alpha, found = worth, move
            best = found
            if abs(alpha) > WIN - 1000:
                break
    except OutOfTime:
        return found
    return best


def opening(own_id, other):
    """The first move: a stone on the edge, which is not worth stealing; as second, steal any stone off the edge."""
    if own_id == "2" and other & INNER:
        return other
    return random.choice(list(bits(RINGS[4]))) if own_id == "1" else 0


def main():
    gc.disable()
    own_id = sys.stdin.readline().strip()
    first = True
    while rows := sys.stdin.readline():
        deadline = process_time() + TURN_S
        stones = {"0": 0, "1": 0, "2": 0}
        for y in range(int(rows)):
            for x, stone in enumerate(sys.stdin.readline().strip()):
                stones[stone] |= BIT_AT[x, y]
        sys.stdin.readline()
        own, other = stones["1"], stones["2"]
        move = opening(own_id, other) if first else 0
        x, y = PLACE_OF[move or choose(own, other, deadline)]
        first = False
        print(x, y, flush=True)


main()
