"""TryAngle Catch: move units, own houses, capture triangles, and spend them when it pays.

Both seats act at once. `rules` follows the reference referee of the CodinGame contest exactly, frame by frame;
`mapmaking` makes its maps from the seed; `land` and `network` know houses, paths and triangles; `board` carries out
commands; `protocol` reads replies as strictly as the reference does; `trace` compares with recordings of it.
"""

from hexarena.games.contract import Clock, Game, HouseBot, League, Lesson
from hexarena.games.tryangle import protocol, replay, rules, trace

GAME = Game(
    id="tryangle",
    title="TryAngle Catch",
    summary="Capture triangles with your units, score for each one you hold, or spend it on units, attacks and paths.",
    version="1.0.0",
    rules=rules,
    protocol=protocol,
    replay=replay,
    clock=Clock(first_s=1.0, turn_s=0.05),
    max_turns=rules.LAST_TURN,
    leagues=(
        League("Wood", "Rover"),
        League("Bronze", "Striker"),
        League("Silver", "Weaver"),
        League("Gold", "Triumvir"),
        League("Legend"),
    ),
    house_bots=(
        HouseBot("Rover", "rover.py", "Walks to the cheapest triangles first, and makes a unit of each one it holds."),
        HouseBot("Striker", "striker.py", "Goes where guards are few, and strikes where units stand together."),
        HouseBot("Weaver", "weaver.cpp", "Comes in crowds; once it is far ahead, it adds paths and cuts others."),
        HouseBot("Triumvir", "triumvir.cpp", "Plans six turns ahead for both sides by the exact rules, and improves."),
    ),
    starters=("starter.py", "starter.cpp", "starter.js", "starter.java", "starter.rs", "starter.go"),
    levels=(1, 2, 3, 4),
    level_news={3: "the list of paths that could be added is not always empty"},
    lessons=(
        Lesson("Triangles and units", 1, "Rover"),
        Lesson("Attacks", 2, "Rover"),
        Lesson("Paths", 3, "Rover"),
        Lesson("The full game", 4, "Rover"),
    ),
    mirrored_seats=True,
    reply_bytes=9_999,
    trace=trace,
    topics=("simultaneous turns", "graph", "area control"),
)
