"""A game that does nothing, and bots that do nothing: what a match costs is then the runner's cost."""

from __future__ import annotations

from collections.abc import Sequence

from hexarena.games.contract import Clock, Game, Json, League, Note, Outcome

TURNS = 100
PROMPT_LINES = 100
PROMPT = "".join(f"{line:09d}\n" for line in range(PROMPT_LINES))


class NullRules:
    """Asks both seats for a hundred turns and ignores their replies. The state is the turn's number."""

    def setup(self, seats: int, seed: int, league: int) -> int:
        """See Rules."""
        return 0

    def to_act(self, state: int) -> Sequence[int]:
        """See Rules."""
        return (0, 1) if state < TURNS else ()

    def step(self, state: int, moves: object, faults: object) -> int:
        """See Rules."""
        return state + 1

    def notes(self, state: int) -> Sequence[Note]:
        """See Rules."""
        return ()

    def outcome(self, state: int) -> Outcome | None:
        """See Rules."""
        return Outcome((0, 0), (0, 0), "over") if state == TURNS else None


class NullProtocol:
    """The same prompt for all turns."""

    def prompt(self, state: int, seat: int, first: bool) -> str:
        """See TextProtocol."""
        return PROMPT

    def parse(self, state: int, seat: int, reply: str) -> str:
        """See TextProtocol."""
        return reply


class NullReplay:
    """Shows nothing."""

    def header(self, state: int) -> Json:
        """See Replay."""
        return {}

    def frame(self, state: int) -> dict[str, Json]:
        """See Replay."""
        return {}


NULL_GAME = Game(
    id="null",
    title="Null game",
    summary="",
    version="1",
    rules=NullRules(),
    protocol=NullProtocol(),
    replay=NullReplay(),
    clock=Clock(first_s=1.0, turn_s=0.05),
    max_turns=TURNS,
    leagues=(League("Open"),),
    house_bots=(),
    starters=(),
)

NULL_CPP = f"""#include <cstdio>
int main() {{
    char line[64];
    for (;;) {{
        for (int i = 0; i < {PROMPT_LINES}; i++)
            if (!fgets(line, sizeof line, stdin)) return 0;
        puts("WAIT");
        fflush(stdout);
    }}
}}
"""
NULL_PYTHON = f"""import sys
read = sys.stdin.readline
while True:
    for _ in range({PROMPT_LINES}):
        read()
    print("WAIT", flush=True)
"""
ANTS_CPP = """#include <cstdio>
int main() {
    int cells, bases, value;
    if (scanf("%d", &cells) != 1) return 1;
    for (int i = 0; i < 8 * cells && scanf("%d", &value) == 1; i++) {}
    if (scanf("%d", &bases) != 1) return 1;
    for (int i = 0; i < 2 * bases && scanf("%d", &value) == 1; i++) {}
    for (;;) {
        for (int i = 0; i < 2 + 3 * cells; i++)
            if (scanf("%d", &value) != 1) return 0;
        puts("WAIT");
        fflush(stdout);
    }
}
"""
ANTS_PYTHON = """import sys
read = sys.stdin.readline
cells = int(read())
for _ in range(cells + 3):
    read()
while True:
    for _ in range(cells + 1):
        read()
    print("WAIT", flush=True)
"""
"""Bots that read all and do nothing: with them, a match of Ants has all its hundred turns."""
