"""What changed, as streams send it: rendered once for everybody, and once more for each owner who is there.

What an event shows is the same for all who are not its owners. Owners are those for whom it differs: whose bots play in
a match, who asked for it, whose submission it is. They get a rendering of their own, in which `mine` is true and of
which others get nothing where the thing is private: practice matches and submissions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas, views
from hexarena.backend.api.streaming.sse import message
from hexarena.backend.api.views import events as event_views
from hexarena.backend.api.views.notices import notice_view
from hexarena.backend.matches import live
from hexarena.backend.models import Bot, Duel, Event, Match, Notice, Submission

OF_NO_GAME = frozenset({"announcement", "notice"})
"""What also those get who asked for one game's changes."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """One thing that changed, as JSON. `public`: None if only owners may see it. `own`: of the owners that were asked
    for. An owner who is missing there gets nothing.
    """

    kind: live.EventKind
    game: str
    public: str | None
    owners: frozenset[int]
    own: Mapping[int, str]

    def for_viewer(self, viewer_id: int | None) -> str | None:
        """The JSON that this viewer may see."""
        return self.own.get(viewer_id) if viewer_id in self.owners else self.public


@dataclass(slots=True)
class Batch:
    """Changes that are sent at once. `end`: where the reader is after them. `viewers`: whose own renderings it has."""

    end: live.Cursor
    renderings: Sequence[Rendering]
    viewers: frozenset[int]
    owners: frozenset[int] = field(init=False)
    _chunks: dict[tuple[str | None, int | None], bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.owners = frozenset[int]().union(*(one.owners for one in self.renderings))

    def lacks(self, viewers: Collection[int]) -> bool:
        """Whether some of these are owners, and were not asked for."""
        return bool(self.owners.intersection(viewers) - self.viewers)

    def chunk(self, game: str | None, viewer_id: int | None) -> bytes:
        """What a stream sends: shared by all that send the same. Empty if none of it is for this viewer."""
        key = game, viewer_id if viewer_id in self.owners else None
        if key not in self._chunks:
            self._chunks[key] = self._joined(*key)
        return self._chunks[key]

    def _joined(self, game: str | None, viewer_id: int | None) -> bytes:
        """Only the last event has an id: who gets half of a batch asks for all of it again."""
        events = self._events(game, viewer_id)
        last = len(events) - 1
        return b"".join(
            message(name, data, self.end if number == last else None) for number, (name, data) in enumerate(events)
        )

    def _events(self, game: str | None, viewer_id: int | None) -> list[tuple[str, str]]:
        events = []
        seen = [one for one in self.renderings if game in {None, one.game} or one.kind in OF_NO_GAME]
        for (kind, of_game), group in groupby(seen, lambda one: (one.kind, one.game if one.kind == "standing" else "")):
            data = [text for one in group if (text := one.for_viewer(viewer_id)) is not None]
            if kind != "standing":
                events += [(str(kind), text) for text in data]
            elif data:
                events.append((str(kind), f'{{"game":"{of_game}","items":[{",".join(data)}]}}'))
        return events


def batch_of(
    session: Session, changes: Sequence[live.Change], viewers: Collection[int], places: views.KnownPlaces
) -> Batch:
    """The current state of what changed; each thing only once, however often it changed."""
    there = frozenset(viewers)
    renderings = [
        *_matches(session, _subjects(changes, "match"), there, places),
        *_submissions(session, _subjects(changes, "submission"), there),
        *_notices(session, _subjects(changes, "notice"), there),
        *_duels(session, _subjects(changes, "duel"), there),
        *_events(session, _subjects(changes, "event")),
        *_announced(changes),
        *_standings(session, changes, there),
    ]
    return Batch(changes[-1].cursor, renderings, there)


def _subjects(changes: Sequence[live.Change], kind: live.EventKind) -> list[int]:
    return list(dict.fromkeys(change.subject_id for change in changes if change.kind == kind))


def match_owners(session: Session, match: Match) -> frozenset[int]:
    """Who sees more of a match than everybody does."""
    asked = frozenset() if match.requested_by_id is None else frozenset({match.requested_by_id})
    return asked.union(*owners.acting_for(session, {seat.submission.user_id for seat in match.seats}).values())


def _matches(
    session: Session, ids: Sequence[int], viewers: frozenset[int], known: views.KnownPlaces
) -> list[Rendering]:
    # Nothing that the session may know of them is kept; to load it over would forget the seats of a match and of its
    # rerun, where both have changed, since the first one loads a little of the other.
    session.expire_all()
    query = select(Match).where(Match.id.in_(ids)).options(*views.FULL_MATCH)
    rows = {row.id: row for row in session.scalars(query)} if ids else {}
    places, found = known.of(session, list(rows.values())), []
    for row in (rows[one] for one in ids if one in rows):
        people = match_owners(session, row)
        seen = {
            viewer: views.match_view(session, row, viewer, places).model_dump_json()
            for viewer in (None, *(people & viewers))
            if views.may_see(session, row, viewer)
        }
        public = seen.pop(None, None)
        found.append(Rendering("match", row.game, public, people, _known(seen)))
    return found


def _known(seen: Mapping[int | None, str]) -> dict[int, str]:
    return {viewer: text for viewer, text in seen.items() if viewer is not None}


def _submissions(session: Session, ids: Sequence[int], viewers: frozenset[int]) -> list[Rendering]:
    """Only their owners get them."""
    if not ids:
        return []
    found = []
    rows = session.execute(select(Submission.id, Submission.game, Submission.user_id).where(Submission.id.in_(ids)))
    of = {row.id: row for row in rows}
    people = owners.acting_for(session, {row.user_id for row in of.values()})
    for row in (of[one] for one in ids if one in of):
        own = {}
        if asked := people[row.user_id] & viewers:
            for view in views.submission_views(session, Submission.id == row.id, min(asked)):
                own = dict.fromkeys(asked, view.model_dump_json())
        found.append(Rendering("submission", row.game, None, people[row.user_id], own))
    return found


def _notices(session: Session, ids: Sequence[int], viewers: frozenset[int]) -> list[Rendering]:
    """Only their readers get them, whichever game's changes they want: some are of no game."""
    if not ids:
        return []
    query = select(Notice.id, Notice.user_id)
    found = []
    for notice_id, user_id in session.execute(query.where(Notice.id.in_(ids)).order_by(Notice.id)):
        own = {}
        if user_id in viewers:
            # It may have gone since, or to the account that a guest signed in to.
            for shown in notices.newest(session, user_id, ids=[notice_id]):
                own[user_id] = notice_view(shown).model_dump_json()
        found.append(Rendering("notice", "", None, frozenset({user_id}), own))
    return found


def _duels(session: Session, ids: Sequence[int], viewers: frozenset[int]) -> list[Rendering]:
    found = []
    for duel_id in ids:
        row = session.scalar(
            select(Duel).where(Duel.id == duel_id).options(*views.FULL_DUEL).execution_options(populate_existing=True)
        )
        if row is None:
            continue
        sides = (row.candidate.user_id, row.baseline.user_id)
        people = frozenset({row.requested_by_id}).union(*owners.acting_for(session, sides).values())
        public = views.duel_view(session, row, None).model_dump_json()
        own = {one: views.duel_view(session, row, one).model_dump_json() for one in people & viewers}
        found.append(Rendering("duel", row.game, public, people, own))
    return found


def _events(session: Session, ids: Sequence[int]) -> list[Rendering]:
    """For everybody alike: pages that show more load it."""
    rows = session.scalars(select(Event).where(Event.id.in_(ids)).execution_options(populate_existing=True)).all()
    views_of = event_views.infos(session, rows, ()) if rows else []
    return [Rendering("event", one.game, one.model_dump_json(), frozenset(), {}) for one in views_of]


def _announced(changes: Sequence[live.Change]) -> list[Rendering]:
    """That there is something to load: announcements, or whether a ladder is frozen."""
    found = [
        Rendering("announcement", "", f'{{"id":{announcement}}}', frozenset(), {})
        for announcement in _subjects(changes, "announcement")
    ]
    games = dict.fromkeys(change.game for change in changes if change.kind == "ladder")
    return found + [Rendering("ladder", game, f'{{"game":"{game}"}}', frozenset(), {}) for game in games]


def _standings(session: Session, changes: Sequence[live.Change], viewers: frozenset[int]) -> list[Rendering]:
    by_game: dict[str, dict[int, None]] = {}
    for change in changes:
        if change.kind == "standing":
            by_game.setdefault(change.game, {})[change.subject_id] = None
    found = []
    for game, ids in by_game.items():
        owner_of = _bot_owners(session, list(ids))
        people = owners.acting_for(session, set(owner_of.values()))
        for view in views.standings_of(session, game, list(ids), None):
            its_own = people[owner_of[view.submission_id]]
            own = dict.fromkeys(its_own & viewers, _as_own(view)) if its_own & viewers else {}
            found.append(Rendering("standing", game, view.model_dump_json(), its_own, own))
    return found


def _bot_owners(session: Session, ids: Sequence[int]) -> dict[int, int]:
    query = select(Submission.id, Bot.owner_id).join(Bot, Bot.id == Submission.bot_id).where(Submission.id.in_(ids))
    return dict(session.execute(query).all())


def _as_own(view: schemas.LeaderboardRow) -> str:
    return view.model_copy(update={"mine": True}).model_dump_json()
