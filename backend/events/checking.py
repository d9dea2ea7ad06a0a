"""Checks the published file of an event: seeds, pairings and heats, results, ties and places, each computed anew.

Nothing in the file is believed but what the bots replied, which versions were frozen, how the ladder rated them then,
who was disqualified, and who is outside the prizes. Every match whose record is there is played again by the referee
from these replies; its digest and ranks must come out as they were published.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from hexarena.backend.events import draws, games, heats, stages
from hexarena.backend.events.forms import BadStage, Heat, HeatOutcome, Outcome, Pairing, Prior, Stage
from hexarena.backend.rating import sprt
from hexarena.backend.runtime import zips
from hexarena.games.catalogue import UnknownGame, failed_in_game, find_game
from hexarena.games.contract import Game
from hexarena.games.ghosts import NotRepeated
from hexarena.games.records import BadRecord, play_again, read

FORMATS = (1, 2, 3, 4)
"""The second one has who is outside the prizes; in the first one everybody may take one. The fourth has in which stage
somebody went out; in the others nobody's absence is noticed before the next stage."""
MOST_BYTES = 2_000_000_000
"""Of the file when unpacked."""
MOST_RECORD_BYTES = 64_000_000
CONTEXT = "event.json"
One = TypeVar("One", Pairing, Heat)
Done = TypeVar("Done", Outcome, HeatOutcome)


class NoEventFile(ValueError):
    """Not the published file of an event. The message says what was expected and what was got."""


@dataclass(slots=True)
class Findings:
    """What was checked. `pairings`: heats, too. `wrong`: what came out otherwise, in words. `unchecked`: matches
    without a record. `reruns`: (match that was played again, the one that counts, why).
    """

    commitment: str = ""
    name: str = ""
    stages: int = 0
    pairings: int = 0
    games: int = 0
    replayed: int = 0
    unchecked: list[int] = field(default_factory=list)
    reruns: list[tuple[int, int, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class EventFile:
    """The zip, opened with limits. Use as a context."""

    def __init__(self, path: Path) -> None:
        """Raises: NoEventFile."""
        try:
            self._zip = zips.opened(path)
            self._members = {one.filename: one for one in self._zip.infolist()}
            if sum(one.file_size for one in self._members.values()) > MOST_BYTES:
                raise NoEventFile(f"expected at most {MOST_BYTES:,} bytes unpacked; got more")
            self.event: dict[str, Any] = json.loads(self._read(CONTEXT))
        except (OSError, KeyError, *zips.UNREADABLE) as error:
            raise NoEventFile(f"expected the published file of an event; {error}") from None
        if not isinstance(self.event, dict) or self.event.get("format") not in FORMATS:
            raise NoEventFile(f"expected an event of format {FORMATS[0]} to {FORMATS[-1]}; got another one")

    def record(self, match_id: int) -> bytes | None:
        """The record of a match; None where there is none. Raises: NoEventFile."""
        name = f"matches/{match_id}.jsonl"
        if name not in self._members:
            return None
        try:
            return self._read(name)
        except (OSError, *zips.UNREADABLE) as error:
            raise NoEventFile(f"{name}: {error}") from None

    def _read(self, name: str) -> bytes:
        member = self._members[name]
        if member.file_size > MOST_RECORD_BYTES:
            raise ValueError(f"{name} has more than {MOST_RECORD_BYTES:,} bytes")
        with self._zip.open(member) as file:
            # The size that the archive names is not believed.
            content = file.read(MOST_RECORD_BYTES + 1)
        if len(content) > MOST_RECORD_BYTES:
            raise ValueError(f"{name} has more than {MOST_RECORD_BYTES:,} bytes")
        return content

    def close(self) -> None:
        """Closes the file."""
        self._zip.close()


def check(
    file: EventFile, *, commitment: str | None = None, progress: Callable[[int, int], None] = lambda done, of: None
) -> Findings:
    """Checks everything. `commitment`: as the event's page showed it before the final. `progress`: called after each
    game with how many are done, and of how many.

    Raises: NoEventFile, where something is missing that every such file has, or its game is not here.
    """
    try:
        return _Check(file, commitment, progress).run()
    except UnknownGame as unknown:
        raise NoEventFile(str(unknown)) from None
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, BadStage) as error:
        if isinstance(error, NoEventFile):
            raise
        raise NoEventFile(f"expected an event as it is published; {type(error).__name__}: {error}") from None


class _Check:
    def __init__(self, file: EventFile, commitment: str | None, progress: Callable[[int, int], None]) -> None:
        self._file, self._event, self._progress = file, file.event, progress
        self._found = Findings(commitment=str(self._event["commitment"]), name=str(self._event["name"]))
        self._asked_commitment = commitment
        self._secret = bytes.fromhex(self._event["secret"])
        self._game: Game = find_game(self._event["game"])
        entries = [one for one in self._event["entries"] if one["seed"] is not None]
        self._entries: dict[int, Mapping[str, Any]] = {one["id"]: one for one in entries}
        self._out = frozenset(one["id"] for one in entries if one["state"] == "out")
        stages_out = {one["id"]: one.get("out_stage") for one in entries if one["state"] == "out"}
        self._out_stages = {one: int(stage) for one, stage in stages_out.items() if stage is not None}
        self._has_outside = self._event["format"] > FORMATS[0]
        self._outside = frozenset(one["id"] for one in entries if self._has_outside and one["outside_prizes"])
        priors = {one["id"]: Prior.of(one["rating"], one.get("deviation")) for one in entries}
        self._priors = {one: prior for one, prior in priors.items() if prior is not None}
        self._submissions: dict[int, int] = {}
        played = [one for stage in self._event["played"] for one in (*stage["pairings"], *stage.get("heats", ()))]
        self._total = sum(len(one["games"]) for one in played)
        self._counted = {int(game["match"]) for one in played for game in one["games"]}

    def run(self) -> Findings:
        self._check_commitment()
        entrants = sorted(self._entries, key=lambda one: int(self._entries[one]["seed"]))
        if [int(self._entries[one]["seed"]) for one in entrants] != list(range(1, len(entrants) + 1)):
            self._wrong("The seeding is not 1, 2, 3, …")
        stages_asked = [Stage.read(one) for one in self._event["stages"]]
        states: list[stages.State] = []
        for index, stage in enumerate(stages_asked):
            if index >= len(self._event["played"]):
                self._wrong(f"Stage {index + 1} is missing.")
                break
            prizes = int(self._event["prizes"]) if index == len(stages_asked) - 1 else 0
            paired = bool(self._event["paired"])
            in_heat = heats.most(stage, int(self._event.get("in_heat", 2)), self._game.team_seats)
            left = frozenset(one for one, out_stage in self._out_stages.items() if out_stage <= index)
            state = stages.State(stage, tuple(entrants), (), {}, paired, prizes, self._priors, in_heat=in_heat)
            state = replace(state, outside=self._outside, left=left)
            states.append(self._stage(index, state))
            entrants = stages.advancing(states[-1])
        self._check_ranking(states)
        return self._found

    def _wrong(self, why: str) -> None:
        self._found.wrong.append(why)

    def _check_commitment(self) -> None:
        made = draws.commitment(self._secret)
        if made != self._found.commitment:
            self._wrong(f"The secret does not match the commitment: expected {self._found.commitment}, got {made}.")
        if self._asked_commitment is not None and made != self._asked_commitment.strip().lower():
            self._wrong(f"The commitment is not the one that you noted: expected {self._asked_commitment}, got {made}.")

    def _stage(self, index: int, state: stages.State) -> stages.State:
        """The stage as it must have been, from its games."""
        played = self._event["played"][index]
        self._found.stages += 1
        if list(state.entrants) != played["entrants"]:
            self._wrong(f"Stage {index + 1}: others should have come into it: expected {self._names(state.entrants)}.")
        state = self._all_due(
            f"Stage {index + 1}, pairing",
            state,
            played["pairings"],
            due=stages.due,
            check=partial(self._pairing, index),
            after=lambda state, pairings, outcomes: replace(state, pairings=pairings, outcomes=outcomes),
        )
        # None are due where another form is played.
        return self._all_due(
            f"Stage {index + 1}, heat",
            state,
            played.get("heats", ()),
            due=stages.due_heats,
            check=partial(self._heat, index),
            after=lambda state, heats, outcomes: replace(state, heats=heats, heat_outcomes=outcomes),
        )

    def _all_due(
        self,
        what: str,
        state: stages.State,
        played: Sequence[Mapping[str, Any]],
        *,
        due: Callable[[stages.State], Sequence[One]],
        check: Callable[[stages.State, One, Mapping[str, Any] | None], Done | None],
        after: Callable[[stages.State, tuple[One, ...], Mapping[int, Done]], stages.State],
    ) -> stages.State:
        """The state `after` what was due by and by. `played`: as published, which must be these and no others."""
        published = {int(one["number"]): one for one in played}
        known: dict[int, One] = {}
        outcomes: dict[int, Done] = {}
        while found := [one for one in due(state) if one.number not in known]:
            for one in found:
                known[one.number] = one
                if (done := check(state, one, published.get(one.number))) is not None:
                    outcomes[one.number] = done
            state = after(state, tuple(known.values()), dict(outcomes))
        for number in sorted(set(published) - known.keys()):
            self._wrong(f"{what} {number + 1}: it should not have been played.")
        return state

    def _heat(
        self, index: int, state: stages.State, heat: Heat, published: Mapping[str, Any] | None
    ) -> HeatOutcome | None:
        where = f"Stage {index + 1}, heat {heat.number + 1}"
        if published is None:
            self._wrong(f"{where} is missing: {self._names(heat.entrants)}.")
            return None
        self._found.pairings += 1
        if list(heat.entrants) != published["entrants"]:
            self._wrong(f"{where}: expected {self._names(heat.entrants)}, got {self._names(published['entrants'])}.")
            return None
        results = list(self._results(index, where, state, heat, published["games"]))
        out = self._out & set(heat.entrants)
        stage = state.stage
        got = (published["half_points"], published["wins"])
        done = _as_published(
            (heats.outcome(heat, results, games=stage.games, mixed=stage.mixed, out=some) for some in _some_of(out)),
            lambda one: (list(one.points), list(one.wins)) == got,
        )
        if done is None:
            self._wrong(f"{where} was not played to its end.")
        elif (list(done.points), list(done.wins)) != got:
            self._wrong(f"{where}: expected the half points {list(done.points)}, got {published['half_points']}.")
        return done

    def _results(
        self, index: int, where: str, state: stages.State, heat: Heat, played: Sequence[Mapping[str, Any]]
    ) -> Iterator[dict[int, int]]:
        """Entrant -> rank, of the games from the first on."""
        for number, game in enumerate(sorted(played, key=lambda one: int(one["game"]))):
            self._found.games += 1
            self._progress(self._found.games, self._total)
            here = f"{where}, game {number + 1} (match {game['match']})"
            if int(game["game"]) != number:
                self._wrong(f"{where}: game {number + 1} is missing.")
                return
            trial = heats.trial_of(heat, number, paired=state.paired and not state.stage.mixed)
            seed = draws.seed(self._secret, index, heat.number, trial)
            if int(game["seed"]) != seed:
                self._wrong(f"{here}: expected the seed {seed}, got {game['seed']}.")
            present = set(game["seated"])
            missing = set(heat.entrants) - present
            if not present <= set(heat.entrants) or len(present) < 2 or not missing <= self._out:
                self._wrong(f"{here}: expected {self._names(heat.entrants)}, got {self._names(sorted(present))}.")
                return
            seated = heats.seated(self._game, state.stage, heats.order(heat, number, present), seed)
            if list(seated) != game["seated"]:
                self._wrong(f"{here}: expected the seats of {self._names(seated)}, got others.")
                return
            ranks = self._ranks(here, game, seated, seed)
            yield {one: _best(ranks, seated, one) for one in present}

    def _pairing(
        self, index: int, state: stages.State, pairing: Pairing, published: Mapping[str, Any] | None
    ) -> Outcome | None:
        where = f"Stage {index + 1}, pairing {pairing.number + 1}"
        if published is None:
            self._wrong(f"{where} is missing: {self._names((pairing.first, pairing.second))}.")
            return None
        self._found.pairings += 1
        if (published["first"], published["second"]) != (pairing.first, pairing.second):
            self._wrong(f"{where}: expected {self._names((pairing.first, pairing.second))} to meet, got others.")
            return None
        points = list(self._points(index, where, state, pairing, published["games"]))
        got = (*published["half_points"], *published["wins"], published["winner"])
        outcome = self._outcome(state, pairing, points, got)
        if outcome is None:
            self._wrong(f"{where} was not played to its end.")
        elif _row(outcome) != got:
            expected = f"{outcome.first / 2:g} : {outcome.second / 2:g}"
            self._wrong(f"{where}: expected {expected}, got {got[0] / 2:g} : {got[1] / 2:g}.")
        return outcome

    def _outcome(
        self, state: stages.State, pairing: Pairing, points: Sequence[int], got: tuple[Any, ...]
    ) -> Outcome | None:
        """By its games; where they do not decide it and somebody is out, by the games and the forfeit."""
        better = min((pairing.first, pairing.second), key=lambda one: int(self._entries[one]["seed"]))
        paired = state.paired
        whole = games.outcome(state.stage, pairing, points, paired=paired, better_seed=better)
        out = self._out & {pairing.first, pairing.second}
        if not out or whole is not None:
            return whole
        return _as_published(
            (
                games.outcome(state.stage, pairing, points, paired=paired, better_seed=better, forfeits=some)
                for some in _some_of(out)
            ),
            lambda one: _row(one) == got,
        )

    def _points(
        self, index: int, where: str, state: stages.State, pairing: Pairing, played: Sequence[Mapping[str, Any]]
    ) -> Iterator[int]:
        """Half points of the first, of the games from the first on."""
        for number, game in enumerate(sorted(played, key=lambda one: int(one["game"]))):
            self._found.games += 1
            self._progress(self._found.games, self._total)
            if int(game["game"]) != number:
                self._wrong(f"{where}: game {number + 1} is missing.")
                return
            seed = draws.seed(self._secret, index, pairing.number, games.trial_of(number, paired=state.paired))
            here = f"{where}, game {number + 1} (match {game['match']})"
            if int(game["seed"]) != seed:
                self._wrong(f"{here}: expected the seed {seed}, got {game['seed']}.")
            swapped = games.is_swapped(pairing, number)
            pair = (pairing.second, pairing.first) if swapped else (pairing.first, pairing.second)
            seated = self._game.seated(pair, seed)
            ranks = self._ranks(here, game, seated, seed)
            yield round(2 * sprt.points(_best(ranks, seated, pairing.first), _best(ranks, seated, pairing.second)))

    def _ranks(self, here: str, game: Mapping[str, Any], seated: Sequence[int], seed: int) -> list[int]:
        """As they come out of the record, or as published where there is none."""
        published = [int(one) for one in game["ranks"]]
        self._check_versions(here, game, seated)
        self._check_reruns(here, game)
        content = self._file.record(int(game["match"]))
        if content is None:
            self._found.unchecked.append(int(game["match"]))
            return published
        try:
            saved = read(content)
            if (saved.game, saved.seed, saved.league) != (self._game.id, seed, int(self._event["league"])):
                self._wrong(f"{here}: its record is of another match.")
                return published
            record, _ = play_again(find_game(saved.game), saved)
        except (BadRecord, NotRepeated, ValueError) as error:
            self._wrong(f"{here}: its record cannot be played again: {error}")
            return published
        except Exception as error:
            if (what := failed_in_game(error, self._game.id)) is None:
                raise
            self._wrong(f"{here}: its record cannot be played again: the game's own code failed: {what}")
            return published
        self._found.replayed += 1
        if record.digest != game["digest"]:
            self._wrong(f"{here}: its record is not what was published: the digest differs.")
        if list(record.outcome.ranks) != published:
            self._wrong(f"{here}: expected the ranks {list(record.outcome.ranks)}, got {published}.")
        return list(record.outcome.ranks)

    def _check_versions(self, here: str, game: Mapping[str, Any], seated: Sequence[int]) -> None:
        """An entrant has the same version in all matches, and nobody else has it."""
        for entry, submission in zip(seated, game["submissions"], strict=True):
            if self._submissions.setdefault(entry, submission) != submission:
                self._wrong(f"{here}: {self._names((entry,))} played with another version than before.")

    def _check_reruns(self, here: str, game: Mapping[str, Any]) -> None:
        """What was played again came before, and counts nowhere; the reason is its organiser's word."""
        for one in game.get("reruns", ()):
            first = int(one["match"])
            if first >= int(game["match"]) or first in self._counted:
                self._wrong(f"{here}: it cannot be a rerun of match {first}.")
            self._found.reruns.append((first, int(game["match"]), str(one["reason"])))

    def _check_ranking(self, states: Sequence[stages.State]) -> None:
        found = stages.final_ranking(states, self._out)
        if found != self._event["ranking"]:
            self._wrong(f"The final table should be {self._names(found)}.")
        places = {one["id"]: one["place"] for one in self._entries.values()}
        for place, entry in enumerate(self._event["ranking"], start=1):
            if places.get(entry) != place:
                self._wrong(f"{self._names((entry,))} has place {places.get(entry)}, but is ranked {place}.")
        prizes = stages.prize_places(self._event["ranking"], self._outside)
        for one in self._entries.values() if self._has_outside else ():
            if one["prize_place"] != prizes.get(one["id"]):
                expected = prizes.get(one["id"], "none")
                self._wrong(f"{one['bot']} has place {one['prize_place']} for the prizes, but takes {expected}.")

    def _names(self, entries: Sequence[int]) -> str:
        return ", ".join(str(self._entries[one]["bot"]) if one in self._entries else f"entry {one}" for one in entries)


def _some_of(out: Collection[int]) -> Iterator[frozenset[int]]:
    """All who may have been out when something was decided, of those who are by now: from all to nobody."""
    sizes = range(len(out), -1, -1)
    return (frozenset(some) for size in sizes for some in combinations(sorted(out), size))


def _as_published(possible: Iterator[Done | None], is_published: Callable[[Done], bool]) -> Done | None:
    """The one that was published; else the first, which is that of all who are out."""
    first: Done | None = None
    for one in possible:
        if one is not None and is_published(one):
            return one
        first = first or one
    return first


def _row(outcome: Outcome) -> tuple[Any, ...]:
    """As a pairing is published."""
    return (outcome.first, outcome.second, outcome.first_wins, outcome.second_wins, outcome.winner)


def _best(ranks: Sequence[int], seated: Sequence[int], entry: int) -> int:
    return min(rank for rank, one in zip(ranks, seated, strict=True) if one == entry)
