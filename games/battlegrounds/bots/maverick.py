"""Maverick: each bot charges at the nearest opponent on its own, one action a turn, and hardly minds being hurt.

A fragment of 25 x 25 cells is one big number, a bit a cell, and a generation of it some thirty operations on such numbers.
It plays one generation ahead for each single action, and takes the one that hurts opponents or brings it nearer to them.

What it does not see: the second generation and later ones, what two actions together could do, and that teammates who
act beside each other in the same turn spoil what they planned. An hp is worth less to it than a step to its goal.
"""

from math import cos, isqrt, pi, sin

SIDE = 25
ROW = SIDE + 1  # a column that stays dead keeps the rows apart
MIDDLE = SIDE // 2
ME = MIDDLE * ROW + MIDDLE
STEPS = {1: -ROW - 1, 2: -ROW, 3: -ROW + 1, 4: -1, 6: 1, 7: ROW - 1, 8: ROW, 9: ROW + 1}
CELLS = [y * ROW + x for y in range(SIDE) for x in range(SIDE)]
INSIDE = sum(1 << cell for cell in CELLS)
AROUND = {cell: INSIDE & sum(1 << cell + step for step in STEPS.values() if cell + step >= 0) for cell in CELLS}

BLOCK = {2: (0, 0), 3: (1, 0), 4: (0, 1), 5: (1, 1)}  # who stands where at home: four bots in a block heal each other
ROOM = 6  # a good place to land has this many dead cells to each side
REACH = 5  # bots that are further away are not touched by what I do this turn
MEMORY = 150  # turns for which an opponent that was seen is looked for
PATROL = (40, 900)  # main turns between which the team looks for opponents around the middle of the board

# What plans are worth: an hp won; one that I, a teammate or an opponent lose; a cell nearer to the goal; an action.
HEALING, PAIN, MATE_PAIN, FOE_PAIN, WAY, EFFORT = 0.8, 0.015, 1.5, 1.0, 0.06, 0.003


def life(alive):
    """The next generation of a fragment: bits of 3 x 3 sums, for all cells at once."""
    left, right = alive << 1, alive >> 1
    pair = left ^ right
    ones, twos = pair ^ alive, (left & right) | (alive & pair)
    up, down, up_twos, down_twos = ones << ROW, ones >> ROW, twos << ROW, twos >> ROW
    half = up ^ down
    odd, carry = half ^ ones, (up & down) | (ones & half)
    outer, inner = up_twos ^ down_twos, twos ^ carry
    outer_four, inner_four = up_twos & down_twos, twos & carry
    two_or_three = (outer ^ inner) & ~(outer_four | inner_four)
    four_or_five = (outer & inner) | ((outer_four ^ inner_four) & ~(outer ^ inner))
    return ((odd & two_or_three) | (alive & four_or_five & ~odd)) & INSIDE


def bits(cells):
    """The cells as one number."""
    return sum(1 << cell for cell in cells)


def ring(reach, size):
    """The places of the board so far from its middle, column by column."""
    low, high = size // 2 - reach, size // 2 + reach
    for x in range(max(low, 0), min(high + 1, size)):
        rows = range(low, high + 1) if x in (low, high) else (low, high)
        yield from ((x, y) for y in rows if 0 <= y < size)


def distance(cell):
    """Steps of a king from me."""
    return max(abs(cell % ROW - MIDDLE), abs(cell // ROW - MIDDLE))


def gap(cell, goal):
    """How far a cell is from a goal that is given as an offset from me."""
    right, down = cell % ROW - MIDDLE - goal[0], cell // ROW - MIDDLE - goal[1]
    return max(abs(right), abs(down)) + 0.2 * (abs(right) + abs(down))


def hurts(around, full, born):
    """Whether a bot with these neighbours loses an hp."""
    return (full & around).bit_count() not in (2, 3) and not born & around


class Maverick:
    def __init__(self, num, area):
        self.num = num
        self.size = isqrt(len(area))
        self.home = None
        self.site = self.quiet_site(area)
        self.seen, self.seen_at = None, 0  # where an opponent was, and when

    # --- Calls

    def parachute(self, team):
        """Where a teammate lands, or where there is room."""
        if self.home is None:
            self.home = next((place for mate, place in sorted(team.items()) if place and mate != self.num), self.site)
        return self.home

    def start(self, area, turn, chat):
        """Goes to its place in the block."""
        self.read(area)
        goal = self.post()
        free = [way for way, step in STEPS.items() if not self.taken >> ME + step & 1]
        best = min(free, key=lambda way: gap(ME + STEPS[way], goal), default=0)
        return [best] if best and gap(ME + STEPS[best], goal) < gap(ME, goal) else []

    def main(self, area, team, turn, hp, chat):
        self.turn = turn
        self.read(area)
        goal = self.goal(team, hp)
        ways = [way for way, step in STEPS.items() if not self.taken >> ME + step & 1]
        plans = [(), *((way,) for way in ways), *((-way,) for way in ways if not self.alive >> ME + STEPS[way] & 1)]
        return max(plans, key=lambda plan: self.worth(plan, goal, hp))

    # --- What is around

    def quiet_site(self, area):
        """The place nearest to the middle of the board with dead cells all around, of every second row and column."""
        size, middle, room = self.size, self.size // 2, range(-ROOM, ROOM + 1)
        for reach in range(middle + 1):
            for x, y in ring(reach, size):
                near = (((x + right) % size, (y + down) % size) for right in room for down in room)
                if x % 2 == y % 2 == 0 and not any(map(area.__getitem__, near)):
                    return x, y
        return middle, middle

    def read(self, area):
        """The fragment as numbers, and who is in it."""
        self.corner = next(iter(area))
        cells = dict(zip(CELLS, area.values()))
        self.alive = bits(cell for cell, value in cells.items() if value == 1)
        self.mates = {value: cell for cell, value in cells.items() if value > 1 and cell != ME}
        self.foes = [cell for cell, value in cells.items() if value < 0]
        self.mate_bits = bits(self.mates.values())
        self.taken = self.mate_bits | bits(self.foes)
        self.near_mates = [AROUND[cell] for cell in self.mates.values() if distance(cell) <= REACH]
        self.near_foes = [AROUND[cell] for cell in self.foes if distance(cell) <= REACH]

    def offset(self, place):
        """How far a place of the board is from me, the short way round."""
        half = self.size // 2
        return tuple((there - here - MIDDLE + half) % self.size - half for there, here in zip(place, self.corner))

    # --- Where to go

    def post(self):
        return self.offset([part + shift for part, shift in zip(self.home, BLOCK[self.num])])

    def goal(self, team, hp):
        """An offset from me: the nearest opponent; a teammate, to be healed; where one was seen; my post."""
        if self.foes:
            cell = min(self.foes, key=distance)
            right, down = cell % ROW, cell // ROW
            self.seen, self.seen_at = (self.corner[0] + right, self.corner[1] + down), self.turn
            if hp >= 2:
                return right - MIDDLE, down - MIDDLE
        if hp < 3 and len(team) > 1:
            mates = [self.offset(place) for mate, place in team.items() if mate != self.num]
            return min(mates, key=lambda offset: max(map(abs, offset)))
        if self.seen and hp >= 3:
            offset = self.offset(self.seen)
            if max(map(abs, offset)) > 3 and self.turn - self.seen_at < MEMORY:
                return offset
            self.seen = None
        return self.patrol() if PATROL[0] <= self.turn < PATROL[1] and hp >= 3 else self.post()

    def patrol(self):
        """A spiral around the middle of the board, the four of us a quarter apart."""
        time = self.turn - PATROL[0]
        radius = min(10 + time / 12, self.size / 2)
        angle = time / (2 * radius) + self.num * pi / 2
        return self.offset([self.size // 2 + round(radius * turn(angle)) for turn in (cos, sin)])

    # --- What a plan is worth

    def worth(self, plan, goal, hp):
        """What the next generation does to me, to teammates and to opponents, and how near it brings me to the goal."""
        me, alive, value = ME, self.alive, -EFFORT * len(plan)
        for action in plan:
            cell = ME + STEPS[abs(action)]
            me, alive = (cell, alive & ~(1 << cell)) if action > 0 else (ME, alive | 1 << cell)
        full = alive | self.taken | 1 << me
        born = life(full) & ~full
        count, births, end = (full & AROUND[me]).bit_count(), born & AROUND[me], me
        if count == 3 and hp < 3 and self.mate_bits & AROUND[me]:
            value += HEALING
        elif hurts(AROUND[me], full, born):
            value -= PAIN
        elif count not in (2, 3) and births & births - 1 == 0:
            end = births.bit_length() - 1
        value -= MATE_PAIN * sum(1 for around in self.near_mates if hurts(around, full, born))
        value += FOE_PAIN * sum(1 for around in self.near_foes if hurts(around, full, born))
        return value - WAY * gap(end, goal)
