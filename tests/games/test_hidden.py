"""What not everybody sees, what seats are told, who leaves early, and options that are no numbers: the game Tricks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hexarena.games.catalogue import find_game
from hexarena.games.contract import BotFault, Crashed, Game, Reply, Seat
from hexarena.games.lines import Player, end_line, header_line, seen_by, turn_line
from hexarena.games.records import play_again, read, to_text
from hexarena.games.referee import BadFrame, BadOutcome, BadText, Record, play, replayed

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SEED = 7


@pytest.fixture
def tricks(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv("HEXARENA_GAMES", str(EXAMPLES))
    return find_game("tricks")


class Scripted:
    """Plays the first card that it holds; crashes in a turn of its own, if told so. `read`: its prompts."""

    def __init__(self, crashes_in: int = 0) -> None:
        self.read: list[str] = []
        self._crashes_in = crashes_in

    def ask(self, prompt: str, seconds: float) -> Reply:
        """Raises: Crashed."""
        self.read.append(prompt)
        if len(self.read) == self._crashes_in:
            raise Crashed("expected a reply")
        return Reply(prompt.splitlines()[-1].split()[0])

    def log(self) -> str:
        return ""


def match(game: Game, seats: int = 3, crashes: Mapping[Seat, int] | None = None) -> tuple[Record, list[Scripted]]:
    channels = [Scripted((crashes or {}).get(seat, 0)) for seat in range(seats)]
    return play(game, channels, seed=SEED, league=1), channels


def lines(game: Game, record: Record) -> list[str]:
    players = [Player(f"bot {seat}") for seat in range(record.seats)]
    opening = header_line(game, record.header, seed=record.seed, league=1, players=players)
    return [opening, *map(turn_line, record.turns), end_line(record.outcome)]


def hidden_of(parsed: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one["hidden"] for line in parsed for one in (line, line.get("init", {})) if "hidden" in one]


# --- Hidden -----------------------------------------------------------------------------------------------------------


def test_the_stored_replay_has_everything(tricks: Game) -> None:
    header, first, *_ = [json.loads(line) for line in lines(tricks, match(tricks)[0])]
    assert set(header["init"]["hidden"]) == {"0", "1", "2", "nobody"}
    assert len(header["init"]["hidden"]["0"]) == 3
    assert set(first["hidden"]) == {"0", "1", "2"}


def test_a_seat_sees_its_own_part_and_whoever_watches_none(tricks: Game) -> None:
    replay = lines(tricks, match(tricks)[0])
    whole = [json.loads(line) for line in replay]
    for seat in range(3):
        seen = [json.loads(seen_by(seat, line)) for line in replay]
        assert hidden_of(seen) == [{str(seat): part[str(seat)]} for part in hidden_of(whole)]
    watched = [json.loads(seen_by(None, line)) for line in replay]
    assert hidden_of(watched) == []
    for line, all_of_it in zip(watched, whole, strict=True):
        init = {key: value for key, value in all_of_it.get("init", {}).items() if key != "hidden"}
        assert line == {key: value for key, value in all_of_it.items() if key != "hidden"} | (
            {"init": init, "seed": None} if init else {}
        )


def test_words_to_a_seat_are_its_own_until_the_end(tricks: Game) -> None:
    channels = [Scripted(), Scripted(), Scripted()]
    channels[1].ask = lambda prompt, seconds: Reply("999")  # type: ignore[method-assign]
    replay = lines(tricks, play(tricks, channels, seed=SEED, league=1))
    fault = json.loads(replay[1])["faults"][0]
    assert fault[:2] == [1, "illegal"]
    assert "one of your cards" in fault[2]
    own, other = json.loads(seen_by(1, replay[1])), json.loads(seen_by(0, replay[1]))
    assert own["faults"] == [fault]
    assert own["notes"] == [[1, "fault", "out of the match: illegal"]]
    assert other["faults"] == [[1, "illegal", "is shown at the end"]]
    assert "notes" not in other


def test_matches_that_differ_in_what_is_hidden_are_no_repeats(tricks: Game) -> None:
    """All that is open in the header is the same for every seed."""
    one, two = (play(tricks, [Scripted(crashes_in=1), Scripted(crashes_in=1)], seed=seed, league=1) for seed in (1, 2))
    assert [[said.reply for said in turn.exchanges] for turn in one.turns] == [[None, None]]
    assert one.header | {"hidden": 0} == two.header | {"hidden": 0}
    assert one.digest != two.digest


def test_a_record_with_hidden_cards_is_played_again(tricks: Game) -> None:
    record, _ = match(tricks)
    saved = read(to_text(record, options={}, bots=["a", "b", "c"], players=[Player(name) for name in "abc"]).encode())
    again, _ = play_again(tricks, saved)
    assert again.digest == record.digest
    assert [turn.frame for turn in again.turns] == [turn.frame for turn in record.turns]


# --- Told -------------------------------------------------------------------------------------------------------------


def test_what_a_seat_is_told_comes_before_its_next_prompt(tricks: Game) -> None:
    record, channels = match(tricks)
    assert channels[0].read[0].splitlines() == ["3 0", " ".join(map(str, record.header["hidden"]["0"]))]
    first = [card for _, card in record.turns[0].frame["played"]]
    assert channels[0].read[1].splitlines()[0] == " ".join(map(str, first))
    assert record.turns[1].exchanges[0].prompt == channels[0].read[1], "the log has it, too"


def test_whoever_is_not_asked_is_told_later_of_all_that_was(tricks: Game) -> None:
    rules = tricks.rules

    class EveryOther:
        """Seat 0 is asked in every second turn only."""

        setup, notes, outcome = rules.setup, rules.notes, rules.outcome

        def to_act(self, state: Any) -> Sequence[Seat]:
            return [seat for seat in rules.to_act(state) if seat or state.trick % 2 == 0]

        def step(self, state: Any, moves: Mapping[Seat, Any], faults: Mapping[Seat, BotFault]) -> Any:
            return rules.step(state, {0: state.hands[0][0], **moves}, faults)

    game = replace(tricks, rules=EveryOther(), tell=lambda state, seat: f"trick {state.trick}\n")
    _, channels = match(game)
    assert [prompt.splitlines()[:-1] for prompt in channels[0].read[1:]] == [
        [f"trick {first}", f"trick {first + 1}"] for first in (1, 3, 5)
    ]
    assert all(prompt.count("trick") == 1 for prompt in channels[1].read[1:])


@pytest.mark.parametrize(("reported", "got"), [(None, "None"), ("no end", "'no end'"), (7, "7")])
def test_what_is_told_is_whole_lines_or_nothing(tricks: Game, reported: Any, got: str) -> None:
    with pytest.raises(BadText, match=f"expected `tell` of tricks to give lines, .* or ''; got {got}"):
        match(replace(tricks, tell=lambda state, seat: reported))
    match(replace(tricks, tell=lambda state, seat: ""))


@pytest.mark.parametrize(("written", "got"), [(None, "None"), ("no end", "'no end'"), (7, "7")])
def test_a_prompt_is_whole_lines(tricks: Game, written: Any, got: str) -> None:
    """Else a bot waits for the rest of the line, and every match for its time limits."""

    class Unended:
        def __getattr__(self, name: str) -> Any:
            return getattr(tricks.protocol, name)

        def prompt(self, state: Any, seat: int, first: bool) -> Any:
            return written

    with pytest.raises(BadText, match=f"expected `prompt` of tricks to give lines, .* or ''; got {got}"):
        match(replace(tricks, protocol=Unended()))


# --- Left -------------------------------------------------------------------------------------------------------------


def test_who_leaves_has_a_place_from_then_on(tricks: Game) -> None:
    record, channels = match(tricks, seats=4, crashes={2: 2, 0: 4})
    assert [(turn.number, turn.frame["left"]) for turn in record.turns if "left" in turn.frame] == [
        (2, [[2, 3]]),
        (4, [[0, 2]]),
    ]
    assert (record.outcome.ranks[2], record.outcome.ranks[0]) == (3, 2)
    assert len(channels[2].read) == 2


def test_a_settled_place_stays(tricks: Game) -> None:
    wrong = replace(tricks, left=lambda state: dict.fromkeys(tricks.left(state), 0))
    with pytest.raises(BadOutcome, match="seat 2 the rank 3, but it had left with 0"):
        match(wrong, seats=4, crashes={2: 2})
    wrong = replace(tricks, left=lambda state: {2: 3 - state.trick % 2} if tricks.left(state) else {})
    with pytest.raises(BadOutcome, match="changes the settled place of seat 2"):
        match(wrong, seats=4, crashes={2: 2})
    wrong = replace(tricks, left=lambda state: {1: 2})
    with pytest.raises(BadOutcome, match="asks seat 1, which has left"):
        match(wrong)


# --- Options ----------------------------------------------------------------------------------------------------------


def test_options_are_numbers_and_choices(tricks: Game) -> None:
    assert tricks.option_values == {"cards": 8, "deal": "shuffled"}
    changed = tricks.with_options(cards="4", deal="equal")
    assert changed.option_values == {"cards": 4, "deal": "equal"}
    record, _ = match(changed)
    assert len(record.turns) == 4
    assert record.header["hidden"]["0"] == record.header["hidden"]["1"]
    assert changed.with_options(deal="shuffled").option_values == {"cards": 4, "deal": "shuffled"}


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"cards": "many"}, "expected a whole number as cards; got 'many'"),
        ({"cards": 2}, "expected 3 to 20 cards; got 2"),
        ({"deal": "unfair"}, "expected deal to be shuffled or equal; got 'unfair'"),
        ({"size": 1}, "expected options cards, deal for Tricks; got size"),
    ],
)
def test_a_wrong_option_is_refused(tricks: Game, values: dict[str, int | str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        tricks.with_options(**values)


def test_a_text_option_is_any_text_that_is_short(tricks: Game) -> None:
    class Named:
        setup = staticmethod(lambda seats, seed, league, name="a": tricks.rules.setup(seats, seed, league))
        to_act, step, notes, outcome = (
            tricks.rules.to_act,
            tricks.rules.step,
            tricks.rules.notes,
            tricks.rules.outcome,
        )

    game = replace(tricks, rules=Named(), options={"name": "a"})
    assert game.with_options(name="b=c").option_values == {"name": "b=c"}
    with pytest.raises(ValueError, match="at most 200 characters; got 201"):
        game.with_options(name="x" * 201)


def test_a_state_after_some_turns_is_reached_again(tricks: Game) -> None:
    record, _ = match(tricks)
    state = replayed(tricks, [Scripted() for _ in range(3)], 2, seed=SEED, league=1)
    assert tricks.replay.frame(state)["played"] == record.turns[1].frame["played"]


# --- The arena's own keys ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["t", "notes", "faults", "cpu", "left", "hidden", "end", "v"])
def test_a_frame_has_no_key_of_the_arena(tricks: Game, key: str) -> None:
    class Own:
        header = tricks.replay.header

        def frame(self, state: Any) -> Mapping[str, Any]:
            return {**tricks.replay.frame(state), key: 1}

    with pytest.raises(BadFrame, match=f"a frame with the key '{key}', which is the arena's"):
        match(replace(tricks, replay=Own()))


def test_a_header_hides_nothing_by_itself(tricks: Game) -> None:
    class Own:
        frame = tricks.replay.frame

        def header(self, state: Any) -> Mapping[str, Any]:
            return {"hidden": 1}

    with pytest.raises(BadFrame, match="a header with the key 'hidden'"):
        match(replace(tricks, replay=Own(), hidden=None))
