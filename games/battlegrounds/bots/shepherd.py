"""Shepherd: keeps its flock together, and tries each single action on the next generation before it takes one."""

from math import isqrt

STEPS = {1: (-1, -1), 2: (0, -1), 3: (1, -1), 4: (-1, 0), 6: (1, 0), 7: (-1, 1), 8: (0, 1), 9: (1, 1)}
ROOM = 4  # a good place to land has this many dead cells to each side


class Shepherd:
    def __init__(self, num, area):
        self.num = num
        self.size = isqrt(len(area))
        self.choice = self.quiet_place(area)

    # --- Calls

    def parachute(self, team):
        return next((place for place in team.values() if place), self.choice)

    def start(self, area, turn, chat):
        """Walks up to the nearest one of the flock."""
        cells = list(area)
        me = cells[len(cells) // 2]
        flock = [place for place, value in area.items() if value > 1 and place != me]
        if not flock:
            return []
        goal = min(flock, key=lambda place: self.distance(me, place))
        ways = [way for way in STEPS if area[self.beside(me, way)] in (0, 1)]
        if self.distance(me, goal) <= 1 or not ways:
            return []
        return [min(ways, key=lambda way: self.distance(self.beside(me, way), goal))]

    def main(self, area, team, turn, hp, chat):
        me = team.pop(self.num)
        flock = list(team.values())
        dead = [way for way in STEPS if area[self.beside(me, way)] == 0]
        plans = [(), *((way,) for way in dead), *((-way,) for way in dead)]
        worth = {plan: self.worth(plan, me, area, flock, hp) for plan in plans}
        best = max(plans, key=worth.__getitem__)
        return [*best, "3"] if hp < 3 else best  # "3" means: need healing

    # --- What a plan is worth

    def worth(self, plan, me, area, flock, hp):
        """Hurt counts most, then healing, then quiet neighbours, then to be with the flock."""
        after, place = dict(area), me
        for action in plan:
            target = self.beside(me, abs(action))
            if action > 0:
                after[me], place = 0, target
            after[target] = 1
        around = [self.beside(place, way) for way in STEPS]
        alive = self.live_neighbours(place, after)
        far = min((self.distance(place, mate) for mate in flock), default=0)
        value = -0.02 * far - 0.01 * len(plan)
        if alive in (2, 3):
            heals = alive == 3 and hp < 3 and any(mate in around for mate in flock)
            return value + 1 + heals
        births = any(after[cell] == 0 and self.live_neighbours(cell, after) == 3 for cell in around)
        return value if births else value - 10

    # --- The board

    def quiet_place(self, area):
        """A dead place with dead cells all around, the nearest to the middle of the board."""
        middle = self.size // 2
        for reach in range(middle):
            side = range(-reach, reach + 1)
            ring = [(right, down) for right in side for down in side if max(abs(right), abs(down)) == reach]
            for right, down in ring[:: ROOM // 2]:
                x, y = middle + right, middle + down
                room = range(-ROOM, ROOM + 1)
                if not any(area[(x + a) % self.size, (y + b) % self.size] for a in room for b in room):
                    return x, y
        return middle, middle

    def beside(self, place, way):
        x, y = place
        right, down = STEPS[way]
        return (x + right) % self.size, (y + down) % self.size

    def distance(self, one, other):
        """Steps of a king on the torus."""
        spans = [abs(a - b) for a, b in zip(one, other)]
        return max(min(span, self.size - span) for span in spans)

    def live_neighbours(self, place, area):
        return sum(area.get(self.beside(place, way), 0) != 0 for way in STEPS)
