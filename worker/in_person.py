"""Plays a match in person: its bots in their sandboxes, and a person who may take all the time in the world.

Theory of operation. `backend.matches.in_person` describes the rows. Each turn is stored as it is played. When the
person is asked, the match's slot is lent out at once. Some matches, as many as the worker has spare processes, keep
their bots, frozen, for `keep_bots_s`: a reply that comes in that time is answered without delay. All others are paused:
the process is free, and the attempt that the reply starts repeats what was played.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing

from sqlalchemy.orm import Session

from hexarena.backend.matches import in_person
from hexarena.backend.matches.in_person import Answer
from hexarena.backend.matches.life import ClaimedMatch
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Outcome, Reply, Resigned
from hexarena.games.lines import header_line, turn_line
from hexarena.games.referee import Event, Opening
from hexarena.worker.lending import LeaseLost, MatchSlots, Slot
from hexarena.worker.play import Person, PlayedMatch, ReadyBot, play_match
from hexarena.worker.sandbox import Sandbox

LOOK_S = 1.0
"""How long a missed notification may go unnoticed."""


class Paused(Exception):
    """The match waits for the person's reply, without this worker."""


class PersonsMatch:
    """One attempt at a match in person. It is the Channel of the person's seat, too."""

    def __init__(
        self, settings: Settings, database: Database, kept: MatchSlots, claimed: ClaimedMatch, slot: Slot
    ) -> None:
        self._settings = settings
        self._database = database
        self._kept = kept
        self._claimed = claimed
        self._game = find_game(claimed.game)
        self._slot = slot
        self._played = 0
        self._cpu_s = 0.0
        with database.transaction() as session:
            self._past = in_person.past(session, claimed.match_id, len(claimed.seats))
            self._written = in_person.lines(session, claimed.match_id)

    def play(self, sandbox: Sandbox, bots: Sequence[ReadyBot]) -> PlayedMatch:
        """Plays it to its end. `bots`: those of the other seats, in order. Raises: Paused, LeaseLost."""
        claimed, entrants = self._claimed, list[ReadyBot | Person](bots)
        seat = claimed.person or 0
        entrants.insert(seat, Person(self, claimed.seats[seat].player))
        return play_match(
            self._game,
            sandbox,
            entrants,
            seed=claimed.seed,
            league=claimed.league,
            match_id=claimed.match_id,
            naps=self._slot,
            past=self._past,
            written=self._written,
            see=self._see,
        )

    def _hold(self, session: Session) -> None:
        """Raises: LeaseLost."""
        if not in_person.hold(session, self._claimed):
            raise LeaseLost

    def _see(self, event: Event) -> None:
        """Stores what is new."""
        if self._slot.abandoned.is_set():
            raise LeaseLost
        if isinstance(event, Outcome):
            return
        self._slot.between_turns()
        with self._database.transaction() as session:
            if isinstance(event, Opening):
                self._hold(session)
                in_person.begin(session, self._claimed.match_id, self._header(event))
                return
            self._played = event.number
            self._cpu_s += sum(exchange.cpu_s for exchange in event.exchanges)
            if event.number > self._past.turn:
                self._hold(session)
                in_person.add_turn(session, self._claimed.match_id, event, turn_line(event))

    def _header(self, event: Opening) -> str:
        claimed = self._claimed
        players = [seat.player for seat in claimed.seats]
        number = str(claimed.match_id)
        return header_line(
            self._game, event.header, seed=claimed.seed, league=claimed.league, players=players, match_id=number
        )

    # --- The person's channel ---------------------------------------------------------------------------------------

    def ask(self, prompt: str, seconds: float) -> Reply:
        """See Channel; no clock runs. Raises: Resigned, Paused, LeaseLost."""
        turn = self._played + 1
        if turn <= self._past.turn:
            return Reply("")
        with self._database.transaction() as session:
            self._hold(session)
            patience_s = self._settings.person_patience_s
            answer = in_person.ask(session, self._claimed.match_id, turn, prompt, patience_s=patience_s)
        answer = answer or self._keep_bots() or self._pause()
        if answer.resigned:
            raise Resigned("gave the match up")
        return Reply(answer.line)

    def log(self) -> str:
        """See Channel."""
        return ""

    def _keep_bots(self) -> Answer | None:
        """Waits a little for the answer, if there is room for the bots meanwhile."""
        place = self._kept.take(0.0) if self._settings.keep_bots_s else None
        if place is None:
            return None
        self._slot.asleep()
        try:
            return self._wait()
        finally:
            place.give_back()
            self._slot.awake()

    def _wait(self) -> Answer | None:
        end = time.monotonic() + self._settings.keep_bots_s
        with closing(self._database.listen("hexarena_replies")) as listener:
            while not self._slot.abandoned.is_set():
                with self._database.transaction() as session:
                    answer = in_person.answer(session, self._claimed.match_id)
                left_s = end - time.monotonic()
                if answer is not None or left_s <= 0:
                    return answer
                for _ in listener.notifies(timeout=min(LOOK_S, left_s), stop_after=1):
                    pass
        raise LeaseLost

    def _pause(self) -> Answer:
        with self._database.transaction() as session:
            self._hold(session)
            answer = in_person.pause(session, self._claimed, cpu_s=self._cpu_s)
        if answer is None:
            raise Paused
        return answer
