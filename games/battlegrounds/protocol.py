"""Conway's Battlegrounds as text: what a bot process reads, and how its line becomes a move.

A prompt is one block of lines; its first word says what is asked. Bots in Python never see it: `harness` turns blocks
into calls and what they return into lines. The game's statement shows every block with an example.

    init <id> <size>              then the board, `size` rows of 0 and 1          reply: ok
    parachute <call>              then for each id: <id> <x> <y>, -1 -1 for None  reply: <x> <y> | none
    start <turn>                  then VIEW and CHAT                              reply: [action]... [say <text>]
    main <turn> <hp>              then VIEW, TEAM and CHAT                        reply: the same

    VIEW   <x> <y> of the bot, then 25 rows of 25 cells, the bot in the middle: 0, 1, 2 to 5 teammates, x an opponent
    TEAM   the number of living members, then for each: <id> <x> <y>
    CHAT   the number of messages, then for each: <id> <text to the end of the line>

Any reply may be `fault <why>` instead: the harness's way to say that the bot's method raised or returned nonsense.
It does nothing and is forgiven, and so are numbers that are no actions. Any other line breaks the protocol.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from hexarena.games.battlegrounds.life import fragment
from hexarena.games.battlegrounds.state import VIEW, Cell, Move, Phase, Plan, State, id_of, seats_of, team_of
from hexarena.games.contract import BadReply, IllegalMove, Seat, quote

CHAT_CHARACTERS = 32
FAULT_CHARACTERS = 200
MOST_ACTIONS = 3
FAULT = "fault "

_HALF = VIEW // 2
_OPPONENT = ord("x")
_AIM = re.compile(r"(-?[0-9]+) (-?[0-9]+)")
_NUMBER = re.compile(r"[+-]?[0-9]+")
_ACTIONS = {str(action): action for action in range(-9, 10)}


def prompt(state: State, seat: Seat, first: bool) -> str:
    """The block for the next call."""
    phase, number = state.plan.phase(state.turn)
    if phase is Phase.INIT:
        return f"init {id_of(seat)} {state.plan.size}\n{_board(state.cells, state.plan.size)}"
    if phase is Phase.PARACHUTE:
        return f"parachute {number}\n{_choices(state, seat)}"
    view, chat = _view(state, seat), _chat(state, seat)
    if phase is Phase.START:
        return f"start {number}\n{view}{chat}"
    return f"main {number} {state.hp[seat]}\n{view}{_team(state, seat)}{chat}"


def parse(state: State, seat: Seat, reply: str) -> Move:
    """The move that a line means. Blanks at its ends do not count, but for those of a message.

    Raises: IllegalMove for what the rules forgive; BadReply for a line that is none of the protocol's.
    """
    if reply.startswith(FAULT):
        raise IllegalMove(_printable(reply.removeprefix(FAULT), FAULT_CHARACTERS) or "a fault that was not explained")
    phase, _ = state.plan.phase(state.turn)
    if phase is Phase.INIT:
        if reply.strip(" ") != "ok":
            raise BadReply(f"expected 'ok', got {quote(reply)}")
        return Move()
    return _read_choice(state.plan, reply) if phase is Phase.PARACHUTE else _read_turn(reply)


# --- Reading ----------------------------------------------------------------------------------------------------


def _read_choice(plan: Plan, reply: str) -> Move:
    text = reply.strip(" ")
    if text == "none":
        return Move()
    found = _AIM.fullmatch(text)
    if found is None:
        raise BadReply(f"expected '<x> <y>' or 'none', got {quote(reply)}")
    return Move(aim=(_wrapped(found[1], plan.size), _wrapped(found[2], plan.size)))


def _wrapped(number: str, size: int) -> int:
    """A whole number on the board. It may be longer than what Python's `int` reads."""
    rest = 0
    for digit in number.removeprefix("-"):
        rest = (10 * rest + int(digit)) % size
    return -rest % size if number.startswith("-") else rest


def _read_turn(reply: str) -> Move:
    numbers, _, text = f" {reply}".partition(" say ")
    words = [word for word in numbers.split(" ") if word]
    wrong = f"expected at most {MOST_ACTIONS} actions from -9 to 9, then perhaps 'say <text>'; got {quote(reply)}"
    if not all(map(_NUMBER.fullmatch, words)):
        raise BadReply(wrong)
    if len(words) > MOST_ACTIONS or any(word not in _ACTIONS for word in words):
        raise IllegalMove(wrong)
    return Move(actions=tuple(map(_ACTIONS.__getitem__, words)), chat=_printable(text, CHAT_CHARACTERS))


def _printable(text: str, most: int) -> str:
    return "".join(islice((character for character in text if character.isprintable()), most))


# --- Writing ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _board(board: bytes, size: int) -> str:
    """The whole board. All seats read the same one."""
    return "\n".join([*fragment(board, size, 0, 0, size), ""])


def _choices(state: State, seat: Seat) -> str:
    """All four members, removed ones too: those have no choice any more."""
    lines: list[str] = []
    for member in seats_of(team_of(seat)):
        x, y = (None if state.gone[member] else state.aims[member]) or (-1, -1)
        lines.append(f"{id_of(member)} {x} {y}\n")
    return "".join(lines)


def _view(state: State, seat: Seat) -> str:
    cell = state.places[seat]
    if cell is None:
        raise ValueError(f"expected a seat with a bot on the board; got {seat}")
    x, y = state.plan.place(cell)
    rows = fragment(state.cells, state.plan.size, x - _HALF, y - _HALF, VIEW)
    shown = bytearray("\n".join(rows).encode("ascii"))
    for other, mark in _marks(state, seat):
        other_x, other_y = state.plan.place(other)
        column, row = (other_x - x + _HALF) % state.plan.size, (other_y - y + _HALF) % state.plan.size
        if column < VIEW and row < VIEW:
            shown[row * (VIEW + 1) + column] = mark
    return f"{x} {y}\n{shown.decode('ascii')}\n"


def _marks(state: State, seat: Seat) -> list[tuple[Cell, int]]:
    """Where bots are, and what a seat sees there."""
    team = team_of(seat)
    return [
        (cell, ord("0") + id_of(other) if team_of(other) == team else _OPPONENT)
        for other, cell in enumerate(state.places)
        if cell is not None
    ]


def _team(state: State, seat: Seat) -> str:
    members = [(id_of(member), state.places[member]) for member in seats_of(team_of(seat))]
    lines = ["{} {} {}\n".format(number, *state.plan.place(cell)) for number, cell in members if cell is not None]
    return f"{len(lines)}\n{''.join(lines)}"


def _chat(state: State, seat: Seat) -> str:
    """What teammates said in the turn before, in the order of their ids."""
    team = team_of(seat)
    said = [(other, text) for other, text in state.events.chats if team_of(other) == team and other != seat]
    return f"{len(said)}\n" + "".join([f"{id_of(other)} {text}\n" for other, text in said])
