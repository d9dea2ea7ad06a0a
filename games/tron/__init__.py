"""Tron: light cycles for two to four seats, each for itself, that all move at once.

A cycle leaves a trail behind it; whoever rides into a wall, a trail or another cycle is out, and its trail is gone.
Bots read and write as those of CodinGame's Tron Battle do, so that they play here unchanged; there the cycles move one
after the other. The seed decides where they start.
"""

from hexarena.games.contract import Clock, Game, HouseBot, League, Lesson
from hexarena.games.tron import machine, protocol, replay, rules

GAME = Game(
    id="tron",
    title="Tron",
    summary="Up to four light cycles, and nowhere to turn: outlive the others' trails, and your own.",
    version="1",
    rules=rules,
    protocol=protocol,
    replay=replay,
    left=rules.left,
    clock=Clock(first_s=1.0, turn_s=0.1),
    max_turns=rules.WIDTH * rules.HEIGHT // 2,
    leagues=(League("Wood", "Drifter"), League("Bronze", "Sprinter"), League("Silver", "Divider"), League("Gold")),
    house_bots=(
        HouseBot("Drifter", "drifter.py", "Rides straight on, and turns when something is in its way, or on a whim."),
        HouseBot("Sprinter", "sprinter.py", "Rides straight on, and turns to where there is most room."),
        HouseBot("Hugger", "hugger.py", "Stays close to walls and trails, and never enters a cell without an exit."),
        HouseBot("Roamer", "roamer.py", "Rides to where most cells can be reached, as if nobody else moved."),
        HouseBot("Divider", "divider.py", "Counts the cells that it reaches before all others, and cuts them off."),
    ),
    starters=(
        *("starter.py", "starter.cpp", "starter.js", "starter.java", "starter.rs", "starter.go"),
        *("starter.ts", "starter.c", "starter.cs", "starter.rb", "starter.php"),
        *("starter.kt", "starter.lua", "starter.pl", "starter.sh"),
        *("starter.hs", "starter.ml", "starter.d", "starter.pas"),
    ),
    lessons=(
        Lesson("Stay alive", 1, "Drifter"),
        Lesson("Count your cells", 1, "Hugger"),
        Lesson("Cut them off", 1, "Sprinter"),
    ),
    seats=(2, 3, 4),
    ladder_entrants=(4, 3, 2),
    mirrored_seats=False,
    reply_bytes=100,
    in_person=True,
    machine=machine,
    topics=("free-for-all", "simultaneous turns", "two to four players"),
)
