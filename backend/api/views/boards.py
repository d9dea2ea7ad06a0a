"""Leaderboards that are rendered once, until something that they show changes.

Each look at a board asks the database one question: is what was rendered still so? It is, if there was no refit since,
no match of the game has ended or was annulled, and no event says that a version or a bot on the board changed. Every
transaction that changes what a board shows writes such an event (`matches.live.publish`), so a board is never behind.

Events are compared with the place that readers of events had come to before the board was read: whatever came after it
makes the board be rendered anew, also where a transaction that began earlier commits later.

A board is the same for everybody but for `mine`. Lines of the viewer's own bots are put in for that viewer alone.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b

from sqlalchemy import text
from sqlalchemy.orm import Session

from hexarena.backend.api import schemas, views
from hexarena.backend.ladder import boards
from hexarena.backend.matches import live
from hexarena.backend.models import Standing

KEPT_LINES = 5_000
"""Of all boards together, about 1.5 kB each."""
LOOK_S = 60
"""Bots whose owners are away leave the board by time alone, without a row of `change`."""
# A statement of each look is made once: to make one takes longer than to run it.
_STATE = text(
    "SELECT (SELECT refitted_at FROM ladder WHERE game = :game), "
    "ARRAY(SELECT matches FROM match_count WHERE game = :game ORDER BY part)"
)
_IS_OUTDATED = "EXISTS (SELECT 1 FROM change WHERE id > :seen AND game = :game AND kind IN ('standing', 'submission'))"
_STATE_AND_WHETHER_OUTDATED = text(f"{_STATE.text}, {_IS_OUTDATED}")


@dataclass(frozen=True, slots=True)
class Page:
    """Which lines of which board."""

    game: str
    limit: int
    after: tuple[int, float, int] | None
    league: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the board as JSON: for everybody, and for its owner."""

    owner_id: int
    public: str
    own: str


@dataclass(frozen=True, slots=True)
class State:
    """What a board was read from. `matches`: their counts (`MatchCount`). `seen`: the last event of before."""

    refitted_at: datetime | None
    matches: tuple[int, ...]
    minute: int
    seen: int


@dataclass(frozen=True, slots=True)
class Board:
    """A page of a leaderboard. `rest`: its JSON after the lines. `tag`: a hash of all that it shows."""

    state: State
    lines: tuple[Line, ...]
    rest: str
    tag: str

    def answer(self, owned: Collection[int]) -> tuple[str, str]:
        """(JSON, ETag) for somebody who acts for these owners."""
        own = [number for number, line in enumerate(self.lines) if line.owner_id in owned]
        lines = [line.own if line.owner_id in owned else line.public for line in self.lines]
        body = f'{{"items":[{",".join(lines)}],{self.rest}'
        return body, f'W/"{_hash(self.tag, *map(str, own)) if own else self.tag}"'


class Boards:
    """The boards of a web process. Used by its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Page, Board] = OrderedDict()

    def get(self, session: Session, page: Page) -> Board:
        """The page as it is now: kept, or rendered once for all who ask."""
        kept = self._kept.get(page)
        if kept is not None and _is_current(session, page.game, kept.state):
            return kept
        with self._lock:
            kept = self._kept.get(page)
            if kept is None or not _is_current(session, page.game, kept.state):
                kept = _rendered(session, page)
                self._keep(page, kept)
            return kept

    def _keep(self, page: Page, board: Board) -> None:
        self._kept[page] = board
        self._kept.move_to_end(page)
        while sum(1 + len(one.lines) for one in self._kept.values()) > KEPT_LINES and len(self._kept) > 1:
            self._kept.popitem(last=False)


def _state(session: Session, game: str) -> State:
    seen = live.now(session).id
    refitted_at, matches = session.execute(_STATE, {"game": game}).one()
    return State(refitted_at, tuple(matches), int(time.time() // LOOK_S), seen)


def _is_current(session: Session, game: str, state: State) -> bool:
    which = {"game": game, "seen": state.seen}
    refitted_at, matches, is_outdated = session.execute(_STATE_AND_WHETHER_OUTDATED, which).one()
    now = refitted_at, tuple(matches), int(time.time() // LOOK_S)
    return not is_outdated and now == (state.refitted_at, state.matches, state.minute)


def board_mark(game: str, league: int | None) -> str:
    """Eight characters that differ for other boards: part of a cursor, so that none is used with another board."""
    return blake2b(f"{game} {league}".encode(), digest_size=4).hexdigest()


def _cursor(page: Page, last: Standing) -> str:
    return f"{last.league}_{last.rating!r}_{last.submission_id}_{board_mark(page.game, page.league)}"


def _rendered(session: Session, page: Page) -> Board:
    """The state is read first: what changes meanwhile is seen as a change afterwards."""
    state = _state(session, page.game)
    rows = boards.leaderboard(session, page.game, limit=page.limit + 1, after=page.after, league=page.league)
    since = boards.recorded_since(session, page.game)
    lines = tuple(_line(row) for row in rows[: page.limit])
    last = rows[page.limit - 1].standing if len(rows) > page.limit else None
    cursor = None if last is None else _cursor(page, last)
    empty = schemas.Leaderboard(items=[], next=cursor, as_of=datetime.now(UTC), since=since)
    rest = empty.model_dump_json().removeprefix('{"items":[],')
    tag = _hash(*(line.public for line in lines), str(cursor), str(since))
    return Board(state, lines, rest, tag)


def _line(row: boards.Row) -> Line:
    view = views.standing_view(row)
    bot = row.submission.bot
    assert bot is not None  # noqa: S101 - only submissions with a bot have a standing
    own = view.model_copy(update={"mine": True})
    return Line(bot.owner_id, view.model_dump_json(), own.model_dump_json())


def _hash(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
