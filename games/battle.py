"""A battle of CodinGame's: its `gameResult` read, and played again through our rules from the recorded output.

Theory of operation: the file has a frame for each time that an agent was asked, with what the agent wrote, and the seed
in `refereeInput`; that is all that a match follows from. Each agent becomes a channel that gives its recorded lines, so
our referee plays the match as if the bots were there. Where our rules ask somebody else than the battle did, or end
sooner or later, is a difference, and so are scores and ranks. Pure: the caller opens files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import orjson

from hexarena.games.contract import Game, Json, Outcome, Reply, Seat, TimedOut, TooMuchOutput
from hexarena.games.lines import Player, end_line, header_line, turn_line
from hexarena.games.referee import Opening, Record, Turn, play

WRAPPERS = ("gameResult", "success")
TITLES = ("questionTitle", "puzzleTitle", "gameTitle", "title")
SHOWN_CHARACTERS = 60
# No more digits than a seed has: int() raises a ValueError for thousands of them.
_SEED = re.compile(r"^[ \t]*seed[ \t]*=[ \t]*(-?[0-9]{1,20})[ \t\r]*$", re.MULTILINE | re.ASCII)


class BadBattle(ValueError):
    """The file is no battle that we can play again. The message says what was expected and what was got."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(f"expected {expected}; got {got}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent wrote when it was asked. `line` None: nothing in time. `frame`: its index in the file."""

    seat: Seat
    line: str | None
    stderr: str
    frame: int


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle as recorded. `titles`: what the file calls its game. `ranks`: None where the file has none."""

    names: tuple[str, ...]
    answers: tuple[Answer, ...]
    scores: tuple[float, ...]
    ranks: tuple[int, ...] | None
    seed: int
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A battle played again. `differences`: in words, in order; none if it is the same match."""

    record: Record
    replay: str
    differences: tuple[str, ...]


# --- Reading ---------------------------------------------------------------------------------------------------------


def read_battle(text: bytes) -> Battle:
    """Raises: BadBattle."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadBattle("JSON", f"a file that is none: {error}") from None
    titles: list[str] = []
    while isinstance(found, dict):
        titles += [value for key in TITLES if isinstance(value := found.get(key), str)]
        inner = next((found[key] for key in WRAPPERS if isinstance(found.get(key), dict)), None)
        if inner is None:
            break
        found = inner
    if not isinstance(found, dict):
        raise BadBattle("a JSON object with the keys of a gameResult", _shown(found))
    names = _names(found.get("agents"))
    scores = _numbers(found, "scores", len(names))
    ranks = None if found.get("ranks") is None else tuple(map(int, _numbers(found, "ranks", len(names))))
    return Battle(names, _answers(found, len(names)), scores, ranks, _seed(found), tuple(titles))


def _names(agents: Json) -> tuple[str, ...]:
    """Seat -> who played there: a user, a boss, or only a number."""
    if not isinstance(agents, list) or len(agents) < 2 or not all(isinstance(agent, dict) for agent in agents):
        raise BadBattle("`agents`, a list of at least two", _shown(agents))
    seats = [agent.get("index", position) for position, agent in enumerate(agents)]
    if sorted(map(repr, seats)) != sorted(map(repr, range(len(agents)))):
        raise BadBattle(f"agents with the indexes 0 to {len(agents) - 1}", _shown(seats))
    return tuple(_name(agents[seats.index(seat)], seat) for seat in range(len(agents)))


def _name(agent: Mapping[str, Json], seat: Seat) -> str:
    for key, inner in (("codingamer", "pseudo"), ("arenaboss", "nickname")):
        person = agent.get(key)
        if isinstance(person, dict) and isinstance(name := person.get(inner), str) and name:
            return name
    return f"Agent {seat}"


def _numbers(found: Mapping[str, Json], key: str, count: int) -> tuple[float, ...]:
    values = found.get(key)
    if not isinstance(values, list) or len(values) != count:
        raise BadBattle(f"`{key}`, a list of {count} numbers", _shown(values))
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise BadBattle(f"`{key}`, a list of {count} numbers", _shown(values))
    return tuple(values)


def _seed(found: Mapping[str, Json]) -> int:
    given = found.get("refereeInput")
    seed = _SEED.search(given) if isinstance(given, str) else None
    if seed is None:
        raise BadBattle("`refereeInput` with a line seed=N, without which the map is unknown", _shown(given))
    return int(seed[1])


def _answers(found: Mapping[str, Json], seats: int) -> tuple[Answer, ...]:
    frames = found.get("frames")
    if not isinstance(frames, list) or not frames:
        raise BadBattle("`frames`, a list of what each agent wrote", _shown(frames))
    answers = []
    for index, frame in enumerate(frames):
        agent = frame.get("agentId", -1) if isinstance(frame, dict) else None
        if not isinstance(agent, int) or agent >= seats:
            raise BadBattle(f"frame {index} with an `agentId` below {seats}", _shown(agent))
        if agent >= 0:
            answers.append(_answer(frame, agent, index))
    if not answers or (len(answers) > seats and all(answer.line is None for answer in answers)):
        raise BadBattle("frames with `stdout`, what each agent wrote", f"{len(frames)} frames without any")
    return tuple(answers)


def _answer(frame: Mapping[str, Json], seat: Seat, index: int) -> Answer:
    stdout, stderr = frame.get("stdout"), frame.get("stderr")
    if not isinstance(stdout, str | None) or not isinstance(stderr, str | None):
        raise BadBattle(f"text as `stdout` and `stderr` of frame {index}", _shown(stdout))
    return Answer(seat, None if stdout is None else stdout.partition("\n")[0], stderr or "", index)


def _shown(value: Json) -> str:
    text = "nothing" if value is None else orjson.dumps(value, default=str).decode()
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


# --- Which game ------------------------------------------------------------------------------------------------------


def game_named(battle: Battle, games: Mapping[str, Game]) -> Game | None:
    """The game that the file's titles name, e.g. by "Spring Challenge 2023 - Ants"; None if they name none of ours."""
    for title in battle.titles:
        words = title.casefold()
        for game in games.values():
            if any(re.search(rf"\b{re.escape(name.casefold())}\b", words) for name in (game.title, game.id)):
                return game
    return None


# --- Playing it again ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Recorded:
    """A Channel that gives an agent's recorded lines."""

    answers: list[Answer]
    reply_bytes: int
    given: int = field(default=0)

    def ask(self, prompt: str, seconds: float) -> Reply:
        """See Channel."""
        if self.given == len(self.answers):
            raise TimedOut("expected a reply; the battle has no more of this agent")
        answer = self.answers[self.given]
        self.given += 1
        if answer.line is None:
            raise TimedOut("expected a reply; in the battle there was none in time")
        if (size := len(answer.line.encode("utf-8", "surrogatepass"))) > self.reply_bytes:
            raise TooMuchOutput(f"expected a line of at most {self.reply_bytes} bytes; got {size}")
        return Reply(answer.line.removesuffix("\r"), stderr=answer.stderr)

    def log(self) -> str:
        """See Channel."""
        return self.answers[self.given - 1].stderr if self.given else ""


def play_again(game: Game, battle: Battle, *, league: int) -> Replayed:
    """Plays the match from what was recorded. Raises: BadBattle when the game is not played by so many."""
    if len(battle.names) not in game.seats:
        wanted = " or ".join(map(str, game.seats))
        raise BadBattle(f"a battle of {wanted} agents, as {game.title} is played", f"{len(battle.names)}")
    channels = [
        _Recorded([answer for answer in battle.answers if answer.seat == seat], game.reply_bytes)
        for seat in range(len(battle.names))
    ]
    players = [Player(bot=name) for name in battle.names]
    lines: list[str] = []

    def watch(event: Opening | Turn | Outcome) -> None:
        if isinstance(event, Opening):
            lines.append(header_line(game, event.header, seed=battle.seed, league=league, players=players))
        else:
            lines.append(end_line(event) if isinstance(event, Outcome) else turn_line(event))

    record = play(game, channels, seed=battle.seed, league=league, watch=watch)
    return Replayed(record, "".join(lines), tuple(_differences(battle, record)))


def _differences(battle: Battle, record: Record) -> list[str]:
    """Where the two matches differ: the first turn in which others are asked, then scores and ranks."""
    found = _asked_others(battle, record)
    outcome = record.outcome
    for seat, name in enumerate(battle.names):
        who = f"seat {seat} ({name})"
        if battle.scores[seat] != outcome.scores[seat]:
            found.append(f"{who}: the battle's score is {battle.scores[seat]:g}, ours {outcome.scores[seat]:g}")
        if battle.ranks is not None and battle.ranks[seat] != outcome.ranks[seat]:
            found.append(f"{who}: the battle's rank is {battle.ranks[seat]}, ours {outcome.ranks[seat]}")
    if found:
        found += [f"turn {fault.turn}, seat {fault.seat}: ours found: {fault.message}" for fault in record.faults]
    return found


def _asked_others(battle: Battle, record: Record) -> list[str]:
    recorded = iter(battle.answers)
    for turn in record.turns:
        ours = sorted(exchange.seat for exchange in turn.exchanges)
        answers = list(islice(recorded, len(ours)))
        theirs = sorted(answer.seat for answer in answers)
        if not theirs:
            return [f"turn {turn.number}: the battle is over, ours asks {_seats(ours)}"]
        if ours != theirs:
            where = f"turn {turn.number}, frame {answers[0].frame}"
            return [f"{where}: the battle asks {_seats(theirs)}, ours {_seats(ours)}"]
    left = list(recorded)
    if not left:
        return []
    over = f"ours is over after turn {len(record.turns)}: {record.outcome.reason}"
    return [f"turn {len(record.turns) + 1}, frame {left[0].frame}: the battle asks {_seats([left[0].seat])}, {over}"]


def _seats(seats: Sequence[Seat]) -> str:
    return f"seat {' and '.join(map(str, seats))}"
