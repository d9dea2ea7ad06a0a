"""The referee, with a toy game that shows everything it does."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from hexarena.games.contract import (
    BadReply,
    BotFault,
    Clock,
    Crashed,
    Game,
    IllegalMove,
    Json,
    Note,
    Outcome,
    Reply,
    Seat,
    TimedOut,
    quote,
)
from hexarena.games.referee import BadOutcome, BadSeat, EndlessGame, Event, Exchange, Fault, Opening, Record, Turn, play

# --- The toy: all seats name numbers, which are added up; whoever fails is out -------------------------------------


@dataclass(frozen=True)
class Sums:
    turn: int = 0
    totals: tuple[int, ...] = (0, 0)
    out: frozenset[Seat] = frozenset()
    notes: tuple[Note, ...] = ()


class Rules:
    length = 2

    def setup(self, seats: int, seed: int, league: int) -> Sums:
        return Sums(totals=(seed,) * seats)

    def to_act(self, state: Sums) -> Sequence[Seat]:
        if state.turn == self.length:
            return ()
        return [seat for seat in reversed(range(len(state.totals))) if seat not in state.out]

    def step(self, state: Sums, moves: Mapping[Seat, int], faults: Mapping[Seat, BotFault]) -> Sums:
        totals = tuple(total + moves.get(seat, 0) for seat, total in enumerate(state.totals))
        notes = tuple(Note(seat, "seven", "warning") for seat in moves if moves[seat] == 7)
        return Sums(state.turn + 1, totals, state.out | faults.keys(), notes)

    def notes(self, state: Sums) -> Sequence[Note]:
        return state.notes

    def outcome(self, state: Sums) -> Outcome | None:
        ranks = tuple(sum(other > total for other in state.totals) for total in state.totals)
        return Outcome(ranks, state.totals, "all counted") if state.turn == self.length else None


class Endless(Rules):
    length = 1_000


class Undecided(Rules):
    def outcome(self, state: Sums) -> Outcome | None:
        return None


def prompt(state: Sums, seat: Seat, first: bool) -> str:
    return f"{'hello ' if first else ''}{state.turn} {state.totals[seat]}\n"


def parse(state: Sums, seat: Seat, reply: str) -> int:
    """Numbers; a bad one after a comma still lets the first one act."""
    first, _, rest = reply.partition(",")
    if not first.isdigit():
        raise BadReply(f"expected a number, got {quote(reply)}")
    if int(first) > 9:
        raise IllegalMove(f"expected at most 9, got {quote(reply)}")
    if rest:
        raise BadReply(f"expected one number, got {quote(reply)}", partial=int(first))
    return int(first)


def header(state: Sums) -> Json:
    return {"totals": state.totals}


def frame(state: Sums) -> Mapping[str, Json]:
    return {"totals": state.totals}


TOY = Game(
    id="sums",
    title="Sums",
    summary="",
    version="1",
    rules=Rules(),
    protocol=SimpleNamespace(prompt=prompt, parse=parse),
    replay=SimpleNamespace(header=header, frame=frame),
    clock=Clock(1.0, 0.1),
    max_turns=5,
    leagues=(),
    house_bots=(),
    starters=(),
)


@dataclass
class Scripted:
    """A channel that gives these replies, and writes down what it was asked."""

    replies: list[str | BotFault]
    diary: list[tuple[int, str, float]]
    seat: int = 0
    stderr: list[str] = field(default_factory=list)

    def ask(self, prompt: str, seconds: float) -> Reply:
        self.diary.append((self.seat, prompt, seconds))
        reply = self.replies.pop(0)
        if isinstance(reply, BotFault):
            raise reply
        return Reply(reply, cpu_s=0.01, wall_s=0.02, stderr="thinking")

    def log(self) -> str:
        return "last words"


def match(
    *scripts: list[str | BotFault], game: Game = TOY, watch: Callable[[Event], None] | None = None
) -> tuple[list[tuple[int, str, float]], tuple[Turn, ...], Outcome]:
    diary: list[tuple[int, str, float]] = []
    channels = [Scripted(replies, diary, seat) for seat, replies in enumerate(scripts)]
    record = play(game, channels, seed=10, league=1, watch=watch)
    return diary, record.turns, record.outcome


def test_seats_are_asked_one_after_the_other_in_the_order_of_the_rules() -> None:
    diary, _, _ = match(["1", "2"], ["3", "4"])
    assert diary == [
        (1, "hello 0 10\n", 1.0),
        (0, "hello 0 10\n", 1.0),
        (1, "1 13\n", 0.1),
        (0, "1 11\n", 0.1),
    ]


def test_the_record_holds_every_reply_and_the_outcome() -> None:
    _, turns, outcome = match(["1", "2"], ["3", "4"])
    assert outcome == Outcome((1, 0), (13, 17), "all counted")
    assert turns[0] == Turn(
        number=1,
        exchanges=(
            Exchange(1, "hello 0 10\n", "3", "thinking", 0.01, 0.02),
            Exchange(0, "hello 0 10\n", "1", "thinking", 0.01, 0.02),
        ),
        faults=(),
        frame={"t": 1, "totals": (11, 13)},
    )


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("x\ud800", Fault(0, 1, "invalid", "expected a number, got 'x\\ud800'")),
        ("10", Fault(0, 1, "illegal", "expected at most 9, got '10'")),
        (TimedOut("late"), Fault(0, 1, "timeout", "late")),
        (Crashed("gone"), Fault(0, 1, "crash", "gone")),
    ],
)
def test_a_seat_that_fails_pays_for_it_and_is_not_asked_again(reply: str | BotFault, fault: Fault) -> None:
    diary, turns, outcome = match([reply], ["3", "4"])
    assert turns[0].faults == (fault,)
    assert outcome.scores == (10, 17)
    assert [seat for seat, _, _ in diary] == [1, 0, 1]


def test_the_record_says_which_match_it_is_of() -> None:
    record = play(TOY, [Scripted(["1", "2"], [], seat) for seat in range(3)], seed=10, league=4)
    assert (record.game, record.version, record.seed, record.league, record.seats) == ("sums", "1", 10, 4, 3)


class LeagueOnly(Rules):
    def setup(self, seats: int, seed: int, league: int) -> Sums:
        return Sums(totals=(league,) * seats)


def test_the_rules_are_set_up_for_the_league() -> None:
    channels = [Scripted(["1", "2"], [], seat) for seat in range(2)]
    record = play(replace(TOY, rules=LeagueOnly()), channels, seed=10, league=4)
    assert record.header == {"totals": (4, 4)}


def test_a_reply_is_read_by_the_state_and_the_seat() -> None:
    def relative(state: Sums, seat: Seat, reply: str) -> int:
        return int(reply) * state.totals[seat]

    protocol = SimpleNamespace(prompt=prompt, parse=relative)
    _, _, outcome = match(["0", "1"], ["1", "1"], game=replace(TOY, protocol=protocol))
    assert outcome.scores == (20, 40)


def test_without_a_reply_the_last_words_are_kept() -> None:
    _, turns, _ = match([TimedOut("late")], ["3", "4"])
    assert turns[0].exchanges[1] == Exchange(0, "hello 0 10\n", None, "last words")


def test_a_fault_has_its_times_as_a_reply_has() -> None:
    late = TimedOut("late")
    late.cpu_s, late.wall_s = 0.06, 0.09
    _, turns, _ = match([late], ["3", "4"])
    assert (turns[0].exchanges[1].cpu_s, turns[0].exchanges[1].wall_s) == (0.06, 0.09)


def test_the_part_before_an_error_may_act() -> None:
    _, turns, outcome = match(["5,x"], ["3", "4"])
    assert turns[0].faults == (Fault(0, 1, "invalid", "expected one number, got '5,x'"),)
    assert outcome.scores == (15, 17)


def test_a_fault_of_one_seat_does_not_spare_the_other_from_being_asked() -> None:
    diary, turns, _ = match(["1", "2"], [Crashed("gone")])
    assert [seat for seat, _, _ in diary] == [1, 0, 0]
    assert [exchange.reply for exchange in turns[0].exchanges] == [None, "1"]


def test_all_seats_may_fail_in_the_same_turn() -> None:
    _, turns, outcome = match([TimedOut("late")], [Crashed("gone")], game=replace(TOY, rules=OneTurn()))
    assert [fault.seat for fault in turns[0].faults] == [0, 1]
    assert outcome.ranks == (0, 0)


class OneTurn(Rules):
    length = 1


def test_a_warning_is_written_down_and_shown_and_costs_nothing() -> None:
    _, turns, outcome = match(["7", "1"], ["3", "4"])
    assert turns[0].faults == (Fault(0, 1, "warning", "seven"),)
    assert turns[0].frame["notes"] == [[0, "warning", "seven"]]
    assert "notes" not in turns[1].frame
    assert outcome.scores == (18, 17)


class Forgiving(Rules):
    """A reply that cannot be read costs nothing; a channel that fails puts the seat out."""

    def step(self, state: Sums, moves: Mapping[Seat, int], faults: Mapping[Seat, BotFault]) -> Sums:
        forgiven = {seat: fault for seat, fault in faults.items() if isinstance(fault, BadReply)}
        after = super().step(state, moves, {seat: fault for seat, fault in faults.items() if seat not in forgiven})
        return replace(after, notes=tuple(Note(seat, fault.message, "warning") for seat, fault in forgiven.items()))


def test_a_fault_that_the_rules_repeat_as_a_warning_is_written_down_as_one() -> None:
    _, turns, outcome = match(["x", "1"], ["3", "4"], game=replace(TOY, rules=Forgiving()))
    (warning,) = turns[0].faults
    assert (warning.seat, warning.kind) == (0, "warning")
    assert turns[0].frame["notes"] == [[0, "warning", warning.message]]
    assert turns[1].faults == ()
    assert outcome.scores == (11, 17)


def test_what_bots_only_show_makes_no_other_match() -> None:
    loud = replace(TOY, without_message=lambda reply: reply.partition(" ")[0])

    def digests(*replies: str | None) -> tuple[str, str]:
        exchanges = tuple(Exchange(seat, "?", reply) for seat, reply in enumerate(replies))
        record = Record("toy", "1", 5, 1, 2, {}, (Turn(1, exchanges, (), {}),), Outcome((0, 1), (1, 0), "over"))
        return record.digest, record.moves_digest(loud)

    silent, said, other = digests("1", "3"), digests("1 hm", "3"), digests("2 hm", "3")
    assert silent[0] == silent[1]
    assert said[0] != silent[0]
    assert said[1] == silent[1] != other[1]
    assert digests(None, "3")[1] == digests(None, "3 hm")[1] != silent[1]


def test_matches_share_a_digest_that_begin_alike_and_have_the_same_replies() -> None:
    def digest(*scripts: list[str | BotFault], seed: int = 10) -> str:
        channels = [Scripted(replies, [], seat) for seat, replies in enumerate(scripts)]
        return play(TOY, channels, seed=seed, league=1).digest

    found = digest(["1", "2"], ["3", "4"])
    assert digest(["1", "2"], ["3", "4"]) == found
    assert digest(["1", "2"], ["3", "4"], seed=11) != found, "it began with another header"
    assert digest(["1", "2"], ["3", "5"]) != found
    assert digest(["3", "2"], ["1", "4"]) != found
    assert digest([TimedOut("late")], ["3", "4"]) == digest([Crashed("gone")], ["3", "4"]), "neither replied"


def test_a_watcher_sees_the_opening_each_turn_and_the_outcome() -> None:
    seen: list[Event] = []
    _, turns, outcome = match(["1", "2"], ["3", "4"], watch=seen.append)
    assert seen == [Opening({"totals": (10, 10)}), *turns, outcome]


def test_a_game_that_goes_on_past_its_last_turn_is_our_bug() -> None:
    with pytest.raises(EndlessGame, match="turn 6"):
        match(["1"] * 9, ["1"] * 9, game=replace(TOY, rules=Endless()))


def test_a_game_that_stops_without_an_outcome_is_our_bug() -> None:
    with pytest.raises(EndlessGame, match="no outcome"):
        match(["1"] * 9, ["1"] * 9, game=replace(TOY, rules=Undecided()))


def test_rules_that_ask_a_seat_that_is_not_there_are_named() -> None:
    class Ghost(Rules):
        def to_act(self, state: Sums) -> Sequence[Seat]:
            return (7,)

    with pytest.raises(BadSeat, match="asks seat 7: expected one from 0 to 1"):
        match(["1"], ["1"], game=replace(TOY, rules=Ghost()))


def test_an_exception_that_is_no_fault_of_a_bot_rises() -> None:
    with pytest.raises(IndexError):
        match([], [])


def test_a_quoted_text_is_escaped_and_cut() -> None:
    assert quote("a\n\x00") == r"'a\n\x00'"
    assert quote("a" * 201) == f"'{'a' * 200}'…"


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (Outcome((0,), (1.0, 0.0), ""), "1 ranks and 2 scores"),
        (Outcome((0, 1), (1.0,), ""), "2 ranks and 1 scores"),
        (Outcome((0, 1), (math.inf, 0.0), ""), "expected finite numbers"),
        (Outcome((0, 1), (math.nan, 0.0), ""), "expected finite numbers"),
        (Outcome((1, 1), (0.0, 0.0), ""), "expected places from 0"),
        (Outcome((0, 2), (1.0, 0.0), ""), "expected places from 0"),
        (Outcome((-1, 0), (1.0, 0.0), ""), "expected places from 0"),
    ],
)
def test_an_outcome_that_cannot_be_counted_is_a_bug_of_the_game(outcome: Outcome, problem: str) -> None:
    class Wrong(Rules):
        def outcome(self, state: Sums) -> Outcome | None:
            return outcome if super().outcome(state) else None

    channels = [Scripted(["1", "2"], [], seat) for seat in range(2)]
    with pytest.raises(BadOutcome, match=problem):
        play(replace(TOY, rules=Wrong()), channels, seed=0, league=1)
