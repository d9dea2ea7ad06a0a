"""Warden: plays Life ahead for all that it could do this turn, and does the best of it.

A fragment of 25 x 25 cells is one big number, a bit a cell, and a generation of it some thirty operations on such numbers:
about a microsecond and a half. So each of the thousand things that three actions can lead to is tried, where an opponent is in
sight; on the way two actions do. Four hp in five were lost to teammates who all mended the same spot, each in its own way:
now only one of the bots that are near each other acts in a turn, unless another one would be hurt by waiting.
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

DIGITS = bytes.maketrans(b"\x00\x01", b"01")
BLOCK = {2: (0, 0), 3: (1, 0), 4: (0, 1), 5: (1, 1)}  # who stands where at home: four bots in a block heal each other
QUIET_GENERATIONS = 300  # a place to land must stay dead for so long
QUIET_REACH = 6  # and so must the cells around it
ALERT = (10, 6, 4, 2)  # generations ahead in which the first, second, third and fourth of a group look for trouble
CROWD = 6  # bots that are no further apart take turns
REACH = 5  # bots that are further away are not touched by what I do this turn
AHEAD = 8  # generations in which the best plans are followed
FINALISTS = 24  # plans that are
MEMORY = 150  # turns for which an opponent that was seen is looked for
PATROL = (40, 900)  # main turns between which the team looks for opponents around the middle of the board

# What plans are worth, in hp of mine. All of it was found by trying.
PAIN = {1: 5.0, 2: 1.6}  # losing one with so many left; 1 with more
# An hp won; one that a teammate or an opponent loses; stirring a teammate's neighbours when it is not my turn.
HEALING, MATE_PAIN, MESS, FOE_PAIN = 0.8, 1.5, 0.5, 1.0
# The same in later generations, if nobody acts: in the first, and how much of it is left in each further one.
LATER, LATER_MATE, LATER_FOE, FADING, FOE_FADING = 0.6, 0.4, 0.4, 0.75, 0.5
# A cell nearer to the goal; an action saved.
WAY, EFFORT = 0.06, 0.003


def life(alive, row, inside):
    """The next generation of a board whose rows are `row` bits apart: bits of 3 x 3 sums, for all cells at once."""
    left, right = alive << 1, alive >> 1
    pair = left ^ right
    ones = pair ^ alive
    twos = (left & right) | (alive & pair)
    up, down, up_twos, down_twos = ones << row, ones >> row, twos << row, twos >> row
    half = up ^ down
    odd = half ^ ones
    carry = (up & down) | (ones & half)
    outer, inner = up_twos ^ down_twos, twos ^ carry
    outer_four, inner_four = up_twos & down_twos, twos & carry
    two_or_three = (outer ^ inner) & ~(outer_four | inner_four)
    four_or_five = (outer & inner) | ((outer_four ^ inner_four) & ~(outer ^ inner))
    return ((odd & two_or_three) | (alive & four_or_five & ~odd)) & inside


def bits(cells):
    """The cells as one number."""
    number = 0
    for cell in cells:
        number |= 1 << cell
    return number


def joined(lines, row):
    """Lines of bits as one number, the first in its lowest bits. By halves: that is fast for a whole board."""
    if len(lines) == 1:
        return lines[0]
    half = len(lines) // 2
    return joined(lines[:half], row) | joined(lines[half:], row) << half * row


def ring(reach, size):
    """The places of the board so far from its middle, row by row."""
    low, high = size // 2 - reach, size // 2 + reach
    for y in range(max(low, 0), min(high + 1, size)):
        columns = range(low, high + 1) if y in (low, high) else (low, high)
        yield from ((x, y) for x in columns if 0 <= x < size)


def distance(one, other=ME):
    """Steps of a king between cells of the fragment."""
    return max(abs(one % ROW - other % ROW), abs(one // ROW - other // ROW))


def hurts(around, full, born):
    """Whether a bot with these neighbours loses an hp."""
    return (full & around).bit_count() not in (2, 3) and not born & around


def forecast(alive, bots, generations):
    """Who is hurt if nobody acts: (generation, index of the bot) in order."""
    bots = list(bots)
    for generation in range(generations):
        taken = bits(bots)
        full = alive | taken
        after = life(full, ROW, INSIDE)
        born = after & ~full
        alive = after & ~taken
        for index, cell in enumerate(bots):
            if (full & AROUND[cell]).bit_count() in (2, 3):
                continue
            births = born & AROUND[cell]
            if not births:
                yield generation, index
            elif births & births - 1 == 0 and alive & births:
                alive &= ~births
                bots[index] = births.bit_length() - 1


class Warden:
    def __init__(self, num, area):
        self.num = num
        self.size = isqrt(len(area))
        self.home = None
        self.site = self.quiet_site(area)
        self.seen, self.seen_at = None, 0  # where an opponent was, and when

    # --- Calls

    def parachute(self, team):
        """Where a teammate lands, or where nothing will happen for long."""
        if self.home is None:
            self.home = next((place for mate, place in sorted(team.items()) if place and mate != self.num), self.site)
        return self.home

    def start(self, area, turn, chat):
        """Goes to its place in the block."""
        self.read(area)
        goal, me, actions = self.post(), ME, []
        for _ in range(3):
            free = [way for way, step in STEPS.items() if not self.mate_bits >> me + step & 1]
            best = min(free, key=lambda way: self.gap(me + STEPS[way], goal), default=None)
            if best is None or self.gap(me + STEPS[best], goal) >= self.gap(me, goal):
                break
            me += STEPS[best]
            actions.append(best)
        return actions

    def main(self, area, team, turn, hp, chat):
        self.turn = turn
        self.read(area)
        self.listen(chat)
        goal = self.goal(team, hp)
        bots = [ME, *self.mates.values(), *self.foes]
        self.free = self.may_act()
        if not self.free and not any(index == 0 for _, index in forecast(self.alive, bots, 1)):
            return ()
        if not self.foes and goal == (0, 0) and hp >= 3:
            rank = sum(mate < self.num for mate in self.mates)
            if not any(index <= len(self.mates) for _, index in forecast(self.alive, bots, ALERT[rank])):
                return ()
        return [*self.best_plan(goal, hp), *self.message(hp)]

    # --- Landing

    def quiet_site(self, area):
        """The place nearest to the middle of the board around which all stays dead for long, if nobody disturbs it.

        The edges of the board are taken for walls, which is simpler and nearly as true.
        """
        size, row = self.size, self.size + 1
        marks = bytes(area.values()).translate(DIGITS)
        lines = [int(marks[start : start + size][::-1], 2) for start in range(0, size * size, size)]
        board, inside = joined(lines, row), joined([(1 << size) - 1] * size, row)
        seen = board
        for _ in range(QUIET_GENERATIONS):
            board = life(board, row, inside)
            seen |= board
        for step in (1, row):
            for _ in range(QUIET_REACH):
                seen |= seen << step | seen >> step
        marks, middle = f"{seen:0{size * row}b}"[::-1], size // 2
        for reach in range(middle + 1):
            for x, y in ring(reach, size):
                if marks[y * row + x] == "0":
                    return x, y
        return middle, middle

    # --- What is around

    def read(self, area):
        """The fragment as numbers, and who is in it."""
        self.corner = next(iter(area))
        values = list(area.values())
        marks = "".join(["1" if value == 1 else "0" for value in values])[::-1]
        self.alive = int("0".join([marks[start : start + SIDE] for start in range(0, SIDE * SIDE, SIDE)]), 2)
        others = {cell: value for cell, value in zip(CELLS, values) if value not in (0, 1) and cell != ME}
        self.mates = {value: cell for cell, value in others.items() if value > 1}
        self.foes = [cell for cell, value in others.items() if value < 0]
        self.mate_bits, self.taken = bits(self.mates.values()), bits(others)
        self.near_mates = [AROUND[cell] for cell in self.mates.values() if distance(cell) <= REACH]
        self.near_foes = [AROUND[cell] for cell in self.foes if distance(cell) <= REACH]

    def offset(self, place):
        """How far a place of the board is from me, the short way round."""
        half = self.size // 2
        return tuple((there - here - MIDDLE + half) % self.size - half for there, here in zip(place, self.corner))

    def gap(self, cell, goal):
        """How far a cell is from a goal that is given as an offset from me."""
        right, down = cell % ROW - MIDDLE - goal[0], cell // ROW - MIDDLE - goal[1]
        return max(abs(right), abs(down)) + 0.2 * (abs(right) + abs(down))

    def may_act(self):
        """Bots that are near each other take turns."""
        crowd = [mate for mate, cell in self.mates.items() if distance(cell) <= CROWD]
        return all((self.num - self.turn) % 4 < (mate - self.turn) % 4 for mate in crowd)

    # --- Chat: "5" and the like, as everybody knows them; "5 x y" says where

    def listen(self, chat):
        for _, text in chat:
            words = text.split()
            if len(words) == 3 and words[0] == "5" and all(word.isascii() and word.isdigit() for word in words):
                if self.seen is None:
                    self.seen, self.seen_at = (int(words[1]), int(words[2])), self.turn

    def message(self, hp):
        if hp == 1:
            return ["3"]
        return [f"5 {self.seen[0]} {self.seen[1]}"] if self.foes and self.turn % 4 == self.num - 2 else []

    # --- Where to go

    def post(self):
        right, down = BLOCK[self.num]
        return self.offset((self.home[0] + right, self.home[1] + down))

    def goal(self, team, hp):
        """An offset from me: the nearest opponent; a teammate, to be healed; where one was seen; my post."""
        if self.foes:
            cell = min(self.foes, key=distance)
            right, down = cell % ROW, cell // ROW
            self.seen = ((self.corner[0] + right) % self.size, (self.corner[1] + down) % self.size)
            self.seen_at = self.turn
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
        if PATROL[0] <= self.turn < PATROL[1] and hp >= 3:
            return self.patrol()
        return self.post()

    def patrol(self):
        """A spiral around the middle of the board, the four of us a quarter apart."""
        time = self.turn - PATROL[0]
        radius = min(10 + time / 12, self.size / 2)
        angle = time / (2 * radius) + self.num * pi / 2
        return self.offset([self.size // 2 + round(radius * turn(angle)) for turn in (cos, sin)])

    # --- What to do

    def plans(self):
        """All that three actions (two in peace) can lead to: {(my cell, live cells): the fewest actions}."""
        taken = self.taken
        found = {(ME, self.alive): ()}
        edge = list(found.items())
        for _ in range(3 if self.foes else 2):
            further = []
            for (me, alive), actions in edge:
                for way, step in STEPS.items():
                    bit = 1 << me + step
                    if not taken & bit:
                        further.append(((me + step, alive & ~bit), (*actions, way)))
                        if not alive & bit:
                            further.append(((me, alive | bit), (*actions, -way)))
            edge = []
            for key, actions in further:
                if key not in found:
                    found[key] = actions
                    edge.append((key, actions))
        return found

    def best_plan(self, goal, hp):
        """The actions that are worth most, after one generation and in those that would follow."""
        mates, pain = list(self.mates.values()), PAIN.get(hp, 1.0)
        ranked = [(self.worth(me, alive, goal, hp), me, alive, actions) for (me, alive), actions in self.plans().items()]
        ranked.sort(key=lambda plan: (plan[0] - EFFORT * len(plan[3])), reverse=True)
        best, most = (), float("-inf")
        for value, me, alive, actions in ranked[:FINALISTS]:
            value -= EFFORT * len(actions)
            for generation, index in forecast(alive, [me, *mates, *self.foes], AHEAD):
                if generation == 0:
                    continue  # worth() knows
                if index == 0:
                    value -= LATER * pain * FADING**generation
                elif index <= len(mates):
                    value -= LATER_MATE * FADING**generation
                else:
                    value += LATER_FOE * FOE_FADING**generation
            if value > most:
                best, most = actions, value
        return best

    def worth(self, me, alive, goal, hp):
        """What the next generation does to me, to teammates and to opponents, and how near it brings me to the goal."""
        full = alive | self.taken | 1 << me
        born = life(full, ROW, INSIDE) & ~full
        value, end = 0.0, me
        count = (full & AROUND[me]).bit_count()
        if count == 3 and hp < 3 and self.mate_bits & AROUND[me]:
            value += HEALING
        elif count not in (2, 3):
            births = born & AROUND[me]
            if not births:
                value -= PAIN.get(hp, 1.0)
            elif births & births - 1 == 0:
                end = births.bit_length() - 1
        changed = alive ^ self.alive | (1 << me | 1 << ME if me != ME else 0)
        for around in self.near_mates:
            value -= MATE_PAIN * hurts(around, full, born)
            if changed & around and not self.free:
                value -= MESS
        for around in self.near_foes:
            value += FOE_PAIN * hurts(around, full, born)
        return value - WAY * self.gap(end, goal)
