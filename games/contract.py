"""The game interface: what a game provides for the arena, and what the arena provides for a game.

A game is a folder with plain modules: `rules`, `protocol`, `replay` and, for a game with a reference
implementation, `trace`. Its `GAME` manifest holds them. The type checker compares the modules with the
protocols below, so a game needs no base class. Everything here is pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from hexarena.games.shapes import Shape

Json: TypeAlias = Any
"""A JSON value. Keys are text, integers fit 64 bits."""

Seat: TypeAlias = int
"""A place in a match, counted from 0."""

S = TypeVar("S")
T = TypeVar("T")
S_contra = TypeVar("S_contra", contravariant=True)
M_co = TypeVar("M_co", covariant=True)
M_contra = TypeVar("M_contra", contravariant=True)

FaultKind: TypeAlias = Literal["timeout", "crash", "flood", "invalid", "illegal", "resigned"]
MESSAGE_CHARACTERS = 200


# --- What a bot can do wrong -------------------------------------------------------------------------------------


class BotFault(Exception):
    """A fault of the bot, which costs it the turn or the match. `message` says what was expected and what was got.

    `cpu_s`, `wall_s`: the time used in the turn until then, set by the channel; 0 if the fault is in the text.
    """

    kind: FaultKind = "invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.cpu_s = 0.0
        self.wall_s = 0.0


class TimedOut(BotFault):
    """No whole reply within the time allowed."""

    kind: FaultKind = "timeout"


class Crashed(BotFault):
    """The process ended, or closed its output, before it replied."""

    kind: FaultKind = "crash"


class TooMuchOutput(BotFault):
    """More bytes than a turn may have, or a line longer than the game allows."""

    kind: FaultKind = "flood"


class Resigned(BotFault):
    """A person gave up. To the rules it is a channel that failed."""

    kind: FaultKind = "resigned"


class BadReply(BotFault):
    """The line cannot be read. `partial`: the move that precedes the error, in games that let it act."""

    kind: FaultKind = "invalid"

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class IllegalMove(BadReply):
    """The line can be read, but the rules forbid what it says."""

    kind: FaultKind = "illegal"


def quote(text: str) -> str:
    """A bot's text for use in a message: in quotes, escaped, cut at 200 characters."""
    return repr(text) if len(text) <= MESSAGE_CHARACTERS else repr(text[:MESSAGE_CHARACTERS]) + "…"


# --- Channels: how the referee talks to a bot --------------------------------------------------------------------


class Reply(NamedTuple):
    """A bot's line without its line end, and what it cost. `stderr` is what the bot logged since the last reply.

    A tuple, as every turn makes several and tuples are the fastest to make.
    """

    line: str
    cpu_s: float = 0.0
    wall_s: float = 0.0
    stderr: str = ""


class Channel(Protocol):
    """One bot of one match. The sandbox implements it; tests script it."""

    def ask(self, prompt: str, seconds: float) -> Reply:
        """Sends `prompt` as it is and waits for one line. `seconds`: the CPU time allowed.

        Raises: TimedOut, Crashed, TooMuchOutput, Resigned, with what the turn has cost. After one of these the channel
        is not asked again.
        """
        ...

    def log(self) -> str:
        """Takes what the bot wrote to stderr and that no Reply has carried yet, e.g. after a fault."""
        ...


# --- Results -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended. `ranks`: seat -> place from 0; equal places tie, and the next place skips them (0, 0, 2).

    `scores`: seat -> the game's own score.
    """

    ranks: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """A message of the rules to a seat about the last step, in the order in which they were found.

    `kind`: "fault" repeats why the seat was disqualified, in the game's own words; "warning" is an error that costs
    only what was asked for, with the message of the fault if there was one; "info" is anything else.
    """

    seat: Seat
    message: str
    kind: Literal["fault", "warning", "info"] = "info"


class GameError(RuntimeError):
    """A game breaks its contract: a bug in it, never a bot's fault. The referee's errors say how."""


# --- What a game implements ----------------------------------------------------------------------------------------


class Rules(Protocol[S, M_contra]):
    """The rules. No clock, no files, no chance but the seed's. A returned state is never changed again.

    A state includes the events of the step that led to it, so that replays and notes need nothing else.
    """

    def setup(self, seats: int, seed: int, league: int) -> S:
        """The state before the first turn."""
        ...

    def to_act(self, state: S) -> Sequence[Seat]:
        """Who is asked next, in order: one seat in alternating games, several in simultaneous ones, none at the end.

        Never a seat whose channel has failed (TimedOut, Crashed, TooMuchOutput).
        """
        ...

    def step(self, state: S, moves: Mapping[Seat, M_contra], faults: Mapping[Seat, BotFault]) -> S:
        """One turn. Each seat of `to_act` is in `moves`, in `faults`, or in both.

        `moves` holds what was read; `faults` the seats that failed this turn: the rules decide what that
        means (an immediate loss, removal from the board), but a seat whose channel failed cannot be asked again.
        A seat is in both when only the first part of its line could be read: that part is its move.
        """
        ...

    def notes(self, state: S) -> Sequence[Note]:
        """The messages of the last step to the seats."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """The result once the match is over (`to_act` is then empty), else None."""
        ...


class TextProtocol(Protocol[S_contra, M_co]):
    """Rules and bots exchange text only."""

    def prompt(self, state: S_contra, seat: Seat, first: bool) -> str:
        """All lines that the seat reads this turn, each with its line end. `first`: it has not been asked before."""
        ...

    def parse(self, state: S_contra, seat: Seat, reply: str) -> M_co:
        """The move that a line means. Raises BadReply or IllegalMove, and nothing else, whatever the text."""
        ...


class Replay(Protocol[S_contra]):
    """What a viewer needs, as JSON values: what everybody may see. What only some may see is `Hidden`."""

    def header(self, state: S_contra) -> Json:
        """What is known before the first turn."""
        ...

    def frame(self, state: S_contra) -> Mapping[str, Json]:
        """What the last step changed. The arena has keys of its own: `t`, `notes`, `faults`, `cpu`, `left`, `hidden`,
        `end` and `v`.
        """
        ...


class Hidden(Protocol[S_contra]):
    """What not everybody may see before the match is over: the seat that sees it alone -> JSON value, and what no seat
    sees under None. It is a part of the replay, in which everybody finds it after the end.

    Who watches meanwhile gets `header` and `frame` of the replay without it; a seat gets them with its own part.
    """

    def hidden_header(self, state: S_contra) -> Mapping[Seat | None, Json]:
        """What is hidden before the first turn."""
        ...

    def hidden_frame(self, state: S_contra) -> Mapping[Seat | None, Json]:
        """What the last step changed of it."""
        ...


class Trace(Protocol[S]):
    """How recordings of a game's reference implementation are compared with this one (`hexarena verify`).

    Each function names what it compares; keys of `expected` and `got` are the same.
    """

    def setup(self, game: Mapping[str, Json]) -> S:
        """The state before the first turn of a recorded game (or map)."""
        ...

    def expected(self, game: Mapping[str, Json], turn: int) -> Mapping[str, Json]:
        """What the recording says after the turn with this index; after the last turn also the result."""
        ...

    def got(self, game: Mapping[str, Json], turn: int, state: S) -> Mapping[str, Json]:
        """The same, of our state after that turn."""
        ...

    def expected_map(self, game: Mapping[str, Json]) -> Mapping[str, Json]:
        """What a recorded map says (`verify --maps`)."""
        ...

    def got_map(self, game: Mapping[str, Json], state: S) -> Mapping[str, Json]:
        """The same, of our state before the first turn."""
        ...


class MachineView(Protocol[S_contra]):
    """A game without its text, for programs that learn. Optional, and pure like the rules.

    `actions` and `shape` are the same in every state of all matches with as many seats, on that level and with those
    options, whatever the seed.
    """

    def actions(self, state: S_contra) -> Sequence[str]:
        """Action -> the reply that it stands for: every reply that may ever be legal, each once."""
        ...

    def legal(self, state: S_contra, seat: Seat) -> Sequence[int]:
        """The actions that are read and played without a fault, rising; none for a seat that is not asked now."""
        ...

    def shape(self, state: S_contra) -> Shape:
        """What observations are made of, for every seat alike."""
        ...

    def observation(self, state: S_contra, seat: Seat) -> Json:
        """What the seat knows, as a value of `shape`; never more than its prompts so far. Also for seats that are not
        asked now or are out, and after the end.
        """
        ...

    def out(self, state: S_contra) -> Sequence[Seat]:
        """Who takes no more part and is placed behind all who still do; those who leave in one turn tie.

        Nobody, in games where such a seat's place is known only at the end.
        """
        ...


# --- The manifest ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clock:
    """CPU seconds for a seat's first reply (process start included) and for each later one."""

    first_s: float
    turn_s: float


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A bot that ships with the game: `file` in the game's `bots/`, the language by its ending."""

    name: str
    file: str
    summary: str


@dataclass(frozen=True, slots=True)
class League:
    """A rung of the game's ladder, lowest first. `boss`: the HouseBot that guards the way up; the top one has none."""

    name: str
    boss: str | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A step of the way into a game: what `level` adds to the rules, and the HouseBot to beat there.

    Its text is `lessons/N.md` in the game's folder, counted from 1: only what is new, in a minute's reading.
    """

    title: str
    level: int
    boss: str


def one_seat_each(entrants: int, seed: int) -> tuple[int, ...]:
    """The usual deal: entrant i sits in seat i."""
    return tuple(range(entrants))


def all_of_it(reply: str) -> str:
    """For games in which all that a bot says matters."""
    return reply


def no_objections(state: Any, seat: Seat, move: Any) -> Sequence[str]:
    """For games that ignore nothing: what can be read is played, or is a fault."""
    return ()


def tells_nothing(state: Any, seat: Seat) -> str:
    """For games whose prompts say everything."""
    return ""


def none_left(state: Any) -> Mapping[Seat, int]:
    """For games that all seats play to the end."""
    return {}


Option: TypeAlias = int | str | tuple[str, ...]
"""An option's default: a whole number, a text, or a choice, of which the first is the default."""
OPTION_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class _RulesWithOptions:
    """A game's rules whose `setup` was given values of its options."""

    setup: Callable[[int, int, int], Any]
    to_act: Callable[[Any], Sequence[Seat]]
    step: Callable[[Any, Mapping[Seat, Any], Mapping[Seat, BotFault]], Any]
    notes: Callable[[Any], Sequence[Note]]
    outcome: Callable[[Any], Outcome | None]


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """What the arena knows about a game. `levels`: the rules levels that `league` may name, the full game last."""

    id: str
    title: str
    summary: str
    version: str
    rules: Rules[Any, Any]
    protocol: TextProtocol[Any, Any]
    replay: Replay[Any]
    clock: Clock
    max_turns: int
    leagues: tuple[League, ...]
    house_bots: tuple[HouseBot, ...]
    starters: tuple[str, ...]
    """Files in `bots/`, one for each language; the first one is shown by default."""
    levels: tuple[int, ...] = (1,)
    level_news: Mapping[int, str] = field(default_factory=dict)
    """Level -> what its input has that lower levels' has not, for authors whose bots expect another input."""
    lessons: tuple[Lesson, ...] = ()
    """The way in, easiest first; the last one is the full game."""
    seats: tuple[int, ...] = (2,)
    """The numbers of seats that a match may have."""
    team_seats: int = 1
    """Seats that share a rank: seats 0..n-1 are the first team, and so on."""
    deal: Callable[[int, int], tuple[int, ...]] = one_seat_each
    """(entrants, seed) -> seat -> entrant, for matches outside the ladder; all seats of an entrant are in one team."""
    ladder_entrants: tuple[int, ...] = (2,)
    """How many submissions play in a ladder match, each as a team: the first number that the ladder can fill."""
    mirrored_seats: bool = True
    """Whether both seats are equivalent, so that swapping them on one seed shows less than a fresh seed does."""
    without_message: Callable[[str], str] = all_of_it
    """A reply -> what of it matters: two matches are the same if their replies differ in nothing else."""
    reply_bytes: int = 9_999
    """The longest line that counts, without its line end."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Keyword parameters of `rules.setup` that change a match, and their defaults: the full game."""
    quick: Mapping[str, int | str] = field(default_factory=dict)
    """Options for tests that play many matches."""
    harness: Mapping[str, str] = field(default_factory=dict)
    """Language id -> a file in the game's folder that runs in place of a bot's own, which is its argument."""
    in_person: bool = False
    """Whether a person may play a seat in the browser; then the viewer has an `ask`."""
    objections: Callable[[Any, Seat, Any], Sequence[str]] = no_objections
    """(state, seat, move) -> what the rules would ignore in the move, for a person, who may then write another one."""
    hidden: Hidden[Any] | None = None
    """What not everybody may see while a match is played; None where everybody sees everything."""
    tell: Callable[[Any, Seat], str] = tells_nothing
    """(state, seat) -> whole lines about the last step for a seat, asked or not: it reads them before its next prompt.
    Called for each seat after each step. "" says nothing; None, or a line without its end, makes the match void.
    """
    left: Callable[[Any], Mapping[Seat, int]] = none_left
    """state -> seats that are out of a match that continues, with their settled places from 0. They are not asked."""
    trace: Trace[Any] | None = None
    machine: MachineView[Any] | None = None
    """Actions and observations in numbers: `hexarena.env` and `hexarena.gym_env` need it."""
    topics: tuple[str, ...] = field(default=())
    """Keywords of the game, for cards and filters."""

    def __deepcopy__(self, memo: object) -> Game:
        """Itself: it never changes, and its parts, which may be modules, cannot be copied."""
        return self

    @property
    def top_level(self) -> int:
        """The rules of the full game, by which the ladder plays."""
        return self.levels[-1]

    @property
    def for_two(self) -> bool:
        """Whether two entrants meet in a ladder match."""
        return max(self.ladder_entrants) == 2

    @property
    def free_for_all(self) -> bool:
        """Whether more than two may meet in a ladder match, each for itself."""
        return self.team_seats == 1 and not self.for_two

    def team(self, seat: Seat) -> int:
        """The team that a seat belongs to, counted from 0; the seat itself where there are no teams."""
        return seat // self.team_seats

    def seated(self, entrants: Sequence[T], seed: int) -> tuple[T, ...]:
        """Seat -> entrant, as the game deals them."""
        return tuple(entrants[index] for index in self.deal(len(entrants), seed))

    def side_by_side(self, entrants: Sequence[T]) -> tuple[T, ...]:
        """Seat -> entrant, when each entrant fills a team of its own, in this order."""
        return tuple(entrant for entrant in entrants for _ in range(self.team_seats))

    def with_options(self, /, **values: int | str) -> Game:
        """The same game with options other than the defaults. Whole numbers may be given as text.

        Raises: ValueError for an option that the game does not have, or a value that it or its rules refuse.
        """
        unknown = sorted(values.keys() - self.options.keys())
        if unknown:
            known = f"options {', '.join(self.options)}" if self.options else "no options"
            raise ValueError(f"expected {known} for {self.title}; got {', '.join(unknown)}")
        if not values:
            return self
        whole = self.rules
        chosen = {name: _option_value(name, self.options[name], value) for name, value in values.items()}
        original: Callable[..., Any] = whole.setup
        setup = partial(original, **chosen)
        setup(self.seats[0], 0, self.top_level)
        rules = _RulesWithOptions(setup, whole.to_act, whole.step, whole.notes, whole.outcome)
        return replace(self, rules=rules, options={**self.options, **_as_defaults(self.options, chosen)})

    @property
    def option_values(self) -> dict[str, int | str]:
        """What each option is: its default, unless `with_options` made it another."""
        return {name: one[0] if isinstance(one, tuple) else one for name, one in self.options.items()}


def _as_defaults(options: Mapping[str, Option], chosen: Mapping[str, int | str]) -> Mapping[str, Option]:
    """The options that were chosen; of a choice, the chosen one is the first now."""
    return {
        name: (str(value), *(other for other in possible if other != value)) if isinstance(possible, tuple) else value
        for name, value in chosen.items()
        for possible in (options[name],)
    }


def _option_value(name: str, default: Option, value: int | str) -> int | str:
    """The value as `setup` gets it. Raises: ValueError."""
    if isinstance(default, int):
        try:
            return int(value)
        except ValueError:
            raise ValueError(f"expected a whole number as {name}; got {quote(str(value))}") from None
    text = str(value)
    if isinstance(default, tuple) and text not in default:
        raise ValueError(f"expected {name} to be {' or '.join(default)}; got {quote(text)}")
    if len(text) > OPTION_CHARACTERS:
        raise ValueError(f"expected {name} of at most {OPTION_CHARACTERS} characters; got {len(text)}")
    return text
