"""Yavalath, Cameron Browne's board game: four in a row wins, three in a row loses.

Two seats place stones on a hexagon of 61 cells, one a turn. `rules` follows the reference referee exactly, its
endings and scores included; `protocol` reads replies as that referee does; `trace` compares with recordings of it.
Nothing is drawn by chance: the seed means nothing to this game.
"""

from hexarena.games.contract import Clock, Game, HouseBot, League, Lesson
from hexarena.games.yavalath import machine, protocol, replay, rules, trace

GAME = Game(
    id="yavalath",
    title="Yavalath",
    summary="Four in a row wins, three in a row loses: force your opponent to choose badly.",
    version="1",
    rules=rules,
    protocol=protocol,
    without_message=protocol.without_message,
    replay=replay,
    clock=Clock(first_s=1.0, turn_s=0.1),
    max_turns=62,
    leagues=(
        *(League("Wood", "Hotspur"), League("Bronze", "Snare"), League("Silver", "Keystone")),
        *(League("Gold", "Capstone"), League("Legend")),
    ),
    house_bots=(
        HouseBot("Pebble", "pebble.py", "Any cell, as long as it does not make a line of three."),
        HouseBot("Hotspur", "hotspur.py", "Attacks from its first stone on, and makes a losing three in its haste."),
        HouseBot("Watcher", "watcher.py", "Takes a line of four, stops yours, and never makes a three."),
        HouseBot("Planner", "planner.py", "Looks for two threats at once, and for threats you cannot answer."),
        HouseBot("Snare", "snare.py", "Looks for a chain of threats that wins, and sees only your next one."),
        HouseBot("Keystone", "keystone.py", "Alpha-beta search that follows every forced sequence to its end."),
        HouseBot("Capstone", "capstone.cpp", "Keystone's search, many times as fast, and it remembers what it knows."),
    ),
    starters=(
        *("starter.py", "starter.cpp", "starter.js", "starter.java", "starter.rs", "starter.go"),
        *("starter.ts", "starter.c", "starter.cs", "starter.rb", "starter.php"),
        *("starter.kt", "starter.lua", "starter.pl", "starter.sh"),
        *("starter.hs", "starter.ml", "starter.d", "starter.pas"),
    ),
    levels=(1,),
    lessons=(
        Lesson("Three loses, four wins", 1, "Pebble"),
        Lesson("Threats", 1, "Hotspur"),
        Lesson("Forced replies", 1, "Planner"),
    ),
    mirrored_seats=False,
    reply_bytes=9_999,
    trace=trace,
    machine=machine,
    in_person=True,
    topics=("board game", "perfect information", "alternating turns"),
)
