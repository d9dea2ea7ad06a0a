"""A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.

The arena makes one object of the class for each bot and calls its methods. Read, change, win.
"""

# What a direction adds to x and y:  1 2 3
#                                    4   6
#                                    7 8 9
STEPS = {1: (-1, -1), 2: (0, -1), 3: (1, -1), 4: (-1, 0), 6: (1, 0), 7: (-1, 1), 8: (0, 1), 9: (1, 1)}


class Starter:
    def __init__(self, num, area):
        """num: my number, 2 to 5. area: {(x, y): 0 dead or 1 alive}, the whole board before anybody is on it."""
        self.num = num
        self.size = max(x for x, y in area) + 1

    def parachute(self, team):
        """Ten times: where do I land? team: {number: (x, y) or None}, what each of us said last."""
        chosen = [place for place in team.values() if place is not None]
        return chosen[0] if chosen else (self.size // 2, self.size // 2)

    def start(self, area, turn, chat):
        """25 times: move and build, while nothing lives or dies. The arguments are those of main."""
        return []

    def main(self, area, team, turn, hp, chat):
        """Then each turn, until the end: up to three actions, and perhaps a message.

        area: the 25 x 25 cells around me: 0 dead, 1 alive, 2 to 5 one of us, -1 an opponent.
        team: {number: (x, y)} of us who live. hp: how much I can lose. chat: [(number, text)] since last turn.
        """
        me = team[self.num]
        alive = self.live_neighbours(me, area)
        if alive in (2, 3):
            return []  # the generation at the end of this turn will not hurt

        # Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
        dead = [direction for direction in STEPS if area[self.beside(me, direction)] == 0]
        for direction in dead:
            if self.live_neighbours(self.beside(me, direction), area) - 1 in (2, 3):
                return [direction, "4"]  # "4" means: come here

        # There is none. Alone? Then wake up neighbours until there are three.
        return [-direction for direction in dead[: max(0, 3 - alive)]]

    def beside(self, place, direction):
        """The neighbour of a place. The board has no edge: what leaves it on one side comes back on the other."""
        x, y = place
        right, down = STEPS[direction]
        return (x + right) % self.size, (y + down) % self.size

    def live_neighbours(self, place, area):
        """How many of the eight neighbours are alive. Bots count as alive."""
        return sum(area[self.beside(place, direction)] != 0 for direction in STEPS)


# Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
# look ahead: play a generation of Life on `area` for each thing that you could do, and do what hurts least.
