"""Conway's Battlegrounds: teams of four bots land on a board of Life, build, heal each other, and outlive the rest.

No reference was ever published, so the rules are ours where the statement is silent. `state`, `turn` and `rules`
are the game; `life`, `board` and `chance` are their basis. `protocol` is text; `harness`, which runs in the
bot's process, turns it into calls, since bots in Python are classes.
"""

from hexarena.games.battlegrounds import protocol, replay, rules
from hexarena.games.battlegrounds.board import FULL_SIZE
from hexarena.games.battlegrounds.state import TEAM_SEATS
from hexarena.games.contract import Clock, Game, HouseBot, League, Lesson

GAME = Game(
    id="battlegrounds",
    title="Conway's Battlegrounds",
    summary="Drop four bots onto a board of Life, build, heal each other, and be the last team that stands.",
    version="2",
    rules=rules,
    protocol=protocol,
    replay=replay,
    clock=Clock(first_s=2.0, turn_s=0.1),
    max_turns=rules.LAST_TURN,
    leagues=(League("Wood", "Maverick"), League("Bronze", "Lancer"), League("Silver", "Warden"), League("Gold")),
    house_bots=(
        HouseBot("Drifter", "drifter.py", "Lands with its team, then does one random thing each turn."),
        HouseBot("Shepherd", "shepherd.py", "Keeps its flock together and looks one generation ahead."),
        HouseBot("Maverick", "maverick.py", "Each bot charges at the nearest opponent on its own, whatever it costs."),
        HouseBot("Lancer", "lancer.py", "Goes for whoever comes near and sees one generation; its health is cheap."),
        HouseBot("Warden", "warden.py", "Plays Life ahead for all that it could do, and goes for whoever comes near."),
    ),
    starters=(
        *("starter.py", "starter.cpp", "starter.js", "starter.java", "starter.rs", "starter.go"),
        *("starter.ts", "starter.c", "starter.cs", "starter.rb", "starter.php"),
        *("starter.kt", "starter.lua", "starter.pl", "starter.sh"),
        *("starter.hs", "starter.ml", "starter.d", "starter.pas"),
    ),
    seats=tuple(range(2 * TEAM_SEATS, rules.MOST_SEATS + 1, TEAM_SEATS)),
    team_seats=TEAM_SEATS,
    deal=rules.deal,
    ladder_entrants=(4, 3, 2),
    lessons=(
        Lesson("Two or three neighbours", 1, "starter"),
        Lesson("Stand together", 1, "Shepherd"),
        Lesson("Attack", 1, "Maverick"),
    ),
    mirrored_seats=False,
    options={"size": FULL_SIZE, "start_turns": rules.START_TURNS, "main_turns": rules.MAIN_TURNS},
    quick={"size": 40, "start_turns": 3, "main_turns": 20},
    harness={"python": "harness.py"},
    topics=("teams", "Game of Life", "battle royale"),
)
