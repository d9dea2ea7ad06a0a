"""Ants: two colonies of robot ants, steered by beacons, gather crystal on a hexagonal map.

Both seats act at once. `rules` follows the reference referee of the Spring Challenge 2023 exactly, down to rounding
and ties; `mapmaking` makes its maps from the seed; `protocol` reads replies as strictly as it does; `routes` finds
the ways that harvests are shown to take; `trace` compares with recordings.

The seed is a signed 64-bit integer; any other counts as its low 64 bits. The reference draws another map each time
for seed 0; here 0 has one map of its own, like any other seed.
"""

from hexarena.games.ants import protocol, replay, rules, trace
from hexarena.games.contract import Clock, Game, HouseBot, League, Lesson

GAME = Game(
    id="ants",
    title="Ants",
    summary="Place beacons, steer your ants, and bring home more crystal than your opponent.",
    version="1.0.0",
    rules=rules,
    protocol=protocol,
    without_message=protocol.without_message,
    replay=replay,
    clock=Clock(first_s=1.0, turn_s=0.1),
    max_turns=rules.LAST_TURN,
    leagues=(
        League("Wood 2", "Homebody"),
        League("Wood 1", "Nurse"),
        League("Bronze", "Steward"),
        League("Silver", "Regent"),
        League("Gold", "Empress"),
        League("Legend"),
    ),
    house_bots=(
        HouseBot("Drifter", "drifter.js", "A line to every crystal cell; it takes no interest in eggs."),
        HouseBot("Greedy", "greedy.py", "Nearest resources first, as many as its ants can reach."),
        HouseBot("Forager", "forager.py", "Plays plans for crystal ahead to their end; eggs mean nothing to it."),
        HouseBot("Homebody", "homebody.py", "Farms eggs around its first base, then crystal; blind to a second one."),
        HouseBot("Harvester", "harvester.py", "Plays plans for eggs and crystal ahead; attack chains surprise it."),
        HouseBot("Surveyor", "surveyor.py", "Learns its opponent's habits, and plays plans ahead with attack chains."),
        HouseBot("Nurse", "nurse.py", "Farms eggs until ants are many, then crystal; ignores its opponent."),
        HouseBot("Steward", "steward.cpp", "Plays a few plans four turns ahead; expects all to play like Nurse."),
        HouseBot("Regent", "regent.cpp", "Learns its opponent's habits, and plays simple plans four turns ahead."),
        HouseBot("Queen", "queen.cpp", "Learns habits too, and plays hundreds of plans ahead by the exact rules."),
        HouseBot("Empress", "empress.cpp", "Plays more plans ahead than Queen, less far; likes early crystal."),
    ),
    starters=(
        *("starter.py", "starter.cpp", "starter.js", "starter.java", "starter.rs", "starter.go"),
        *("starter.ts", "starter.c", "starter.cs", "starter.rb", "starter.php"),
        *("starter.kt", "starter.lua", "starter.pl", "starter.sh"),
        *("starter.hs", "starter.ml", "starter.d", "starter.pas"),
    ),
    levels=(1, 2, 3, 4),
    level_news={
        2: "cells may hold eggs",
        3: "a seat may have two bases",
        4: "each turn begins with a line of both scores",
    },
    lessons=(
        Lesson("Beacons and chains", 1, "Drifter"),
        Lesson("Eggs", 2, "Greedy"),
        Lesson("Attack chains and two bases", 3, "Harvester"),
        Lesson("The full game", 4, "Homebody"),
    ),
    mirrored_seats=True,
    trace=trace,
    in_person=True,
    objections=rules.objections,
    topics=("simultaneous turns", "hexagons", "economy"),
)
