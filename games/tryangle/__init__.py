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
    without_message=protocol.without_message,
    replay=replay,
    clock=Clock(first_s=1.0, turn_s=0.05),
    max_turns=rules.LAST_TURN,
    leagues=(
        League("Wood 5", "Swarmer"),
        League("Wood 4", "Dodger"),
        League("Wood 3", "Settler"),
        League("Wood 2", "Striker"),
        League("Wood 1", "Marshal"),
        League("Bronze 2", "Weaver"),
        League("Bronze 1", "Consul"),
        League("Silver", "Augur"),
        League("Gold 2", "Triumvir"),
        League("Gold 1", "Imperator"),
        League("Legend"),
    ),
    house_bots=(
        HouseBot("Swarmer", "swarmer.py", "Spends its triangles until it has a swarm of twenty units, then scores."),
        HouseBot("Rover", "rover.py", "Walks to the cheapest triangles first, and makes a unit of each one it holds."),
        HouseBot("Dodger", "dodger.py", "Walks around guards, and spends a triangle before it is lost."),
        HouseBot("Settler", "settler.py", "Goes in pairs where one guard stands; never attacks, and needs few units."),
        HouseBot("Striker", "striker.py", "Goes where guards are few, and strikes where units stand together."),
        HouseBot("Marshal", "marshal.py", "Brings up to four units to a guarded corner, and strikes crowds of four."),
        HouseBot("Weaver", "weaver.cpp", "Comes in crowds; once it is far ahead, it adds paths and cuts others."),
        HouseBot("Consul", "consul.cpp", "Plans six turns ahead like Triumvir, but tries few changes of its plan."),
        HouseBot("Augur", "augur.cpp", "Plays a simple player six turns ahead, and changes its likes of triangles."),
        HouseBot("Triumvir", "triumvir.cpp", "Plans six turns ahead for both sides by the exact rules, and improves."),
        HouseBot("Imperator", "imperator.cpp", "Plans like Triumvir, but tries more, and expects a better opponent."),
    ),
    starters=(
        *("starter.py", "starter.cpp", "starter.js", "starter.java", "starter.rs", "starter.go"),
        *("starter.ts", "starter.c", "starter.cs", "starter.rb", "starter.php"),
        *("starter.kt", "starter.lua", "starter.pl", "starter.sh"),
        *("starter.hs", "starter.ml", "starter.d", "starter.pas"),
    ),
    levels=(1, 2, 3, 4),
    level_news={3: "the list of paths that could be added is not always empty"},
    lessons=(
        Lesson("Triangles and units", 1, "Swarmer"),
        Lesson("Attacks", 2, "Rover"),
        Lesson("Paths", 3, "Rover"),
        Lesson("The full game", 4, "Swarmer"),
    ),
    mirrored_seats=True,
    reply_bytes=9_999,
    trace=trace,
    in_person=True,
    objections=rules.objections,
    topics=("simultaneous turns", "graph", "area control"),
)
