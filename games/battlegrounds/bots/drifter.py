"""Drifter: lands with its team, then does one random thing each turn. It looks at nothing."""

import random


class Drifter:
    def __init__(self, num, area):
        self.choice = random.choice(list(area))

    def parachute(self, team):
        return next((place for place in team.values() if place), self.choice)

    def start(self, area, turn, chat):
        return random.randint(-9, 9)

    def main(self, area, team, turn, hp, chat):
        return random.randint(-9, 9)
