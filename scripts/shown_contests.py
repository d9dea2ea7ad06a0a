"""What the pictures of organisers' pages show: two events that are over, one that is open, and a class."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from own_arena import OwnArena, house_source
from playwright.sync_api import APIRequestContext, Browser, BrowserContext, FilePayload

from hexarena.games.catalogue import find_game

EVENT_S = 5
"""Until the deadline of an event that is shown at its end."""
LADDER_GAMES = 4
"""That each entrant has had on the ladder of the open event."""
PEOPLE = {
    "Mira Sol": "Tidal",
    "Jon Ferro": "Anvil",
    "Ida Krantz": "Lantern",
    "Sam Okoro": "Kestrel",
    "Lea Brandt": "Quill",
    "Noor Haddad": "Juniper",
}
"""Accounts with a bot in each game of an event, of this name."""
HOUSE_BOTS = 2
"""The best ones of its game, in each event beside the bots of people."""
PATIENCE_S = 1800.0
PASSWORD = "correct horse battery"  # noqa: S105 - of an arena that is gone afterwards
CUP = [{"form": "groups", "groups": 2, "advance": 2}, {"form": "knockout", "third_place": True}]
RACE = [{"form": "heats", "rounds": 2, "games": 6, "advance": 4}, {"form": "heats", "rounds": 1, "games": 8}]
PLAYED_ON = [{"form": "ladder", "seeds": 2, "rounds": 8}]
ROSTER = (
    "name,mail,group\nZoe Quux,zoe@uni.example,A\nBob Ray,bob@uni.example,A\nMei Lund,mei@uni.example,B\n"
    "Ivo Hart,ivo@uni.example,B\nAnn Berg,ann@uni.example,C\nTom Vale,tom@uni.example,C\n"
)
FAULTY = {
    "ants": ("python", "raise SystemExit(1)\n"),
    "battlegrounds": ("python", "while True:\n    pass\n"),
    "tron": (
        "javascript",
        "require('readline').createInterface({input: process.stdin}).on('line', () => console.log('SIDEWAYS'))\n",
    ),
    "tryangle": ("python", "print('hello', flush=True)\nimport time\ntime.sleep(60)\n"),
}
"""Game -> the language and source of a bot whose first match ends by a fault."""
LOUD = "import sys\nwhile True:\n    sys.stdin.readline()\n    print('up or down?', flush=True)\n"
"""A bot whose first move is none."""


class Shown:
    """The organiser Ada, who holds it all. Events have the ids 1 (pairs), 2 (heats) and 3 (open), the class 1."""

    def __init__(self, browser: Browser, running: OwnArena) -> None:
        self._browser, self._running = browser, running
        self._context = self._visitor()
        self._post("sign-up", {"name": "Ada", "password": PASSWORD})
        running.run("user", "role", "Ada", "organiser")
        self._people = {name: self._visitor() for name in PEOPLE}
        self._write_bots()
        self._hold({"game": "yavalath", "name": "Spring cup", "stages": CUP})
        self._hold({"game": "tron", "name": "Night race", "stages": RACE})
        self._teach()
        self._open()

    @property
    def state(self) -> Any:
        """The organiser's cookies, for other contexts."""
        return self._context.storage_state()

    def _visitor(self) -> BrowserContext:
        return self._browser.new_context(base_url=self._running.url, extra_http_headers={"Origin": self._running.url})

    def _get(self, path: str) -> Any:
        return _answer(self._context.request.get(f"/api/v1/{path}"), path)

    def _post(self, path: str, body: Mapping[str, Any], by: APIRequestContext | None = None) -> Any:
        return _answer((by or self._context.request).post(f"/api/v1/{path}", data=dict(body)), path)

    def _write_bots(self) -> None:
        """Everybody signs up and has bots on the ladders; some also send one that ends by a fault."""
        made, faulty = [], []
        for number, (name, person) in enumerate(self._people.items(), start=1):
            self._post("sign-up", {"name": name, "password": PASSWORD}, person.request)
            for game in ("yavalath", "tron"):
                source = house_source(find_game(game), number)
                body = {"game": game, "bot": PEOPLE[name], **source}
                made.append(int(self._post("submissions", body, person.request)["id"]))
        for person, (game, (language, source)) in zip(self._people.values(), FAULTY.items(), strict=False):
            body = {"game": game, "bot": "First try", "language": language, "source": source}
            faulty.append(int(self._post("submissions", body, person.request)["id"]))
        _wait(lambda: self._are(made, "live"), "People have no bots")
        _wait(lambda: self._are(faulty, "failed"), "There are no faults")

    def _are(self, submissions: Sequence[int], state: str) -> bool:
        return all(self._get(f"submissions/{one}")["state"] == state for one in submissions)

    def _announce(self, event: Mapping[str, Any], opens: timedelta) -> int:
        """An event that people enter, and the best house bots of its game: its id."""
        deadline = datetime.now(UTC) + opens
        made = int(self._post("events", {**event, "deadline": deadline.isoformat()})["event"]["id"])
        for person in self._people.values():
            mine = _answer(person.request.get(f"/api/v1/bots?mine=true&game={event['game']}"), "bots")["items"]
            bot = next(one for one in mine if one["name"] in PEOPLE.values())
            self._post(f"events/{made}/entries", {"bot": bot["id"]}, person.request)
        board = self._get(f"games/{event['game']}/leaderboard")["items"]
        for row in [one for one in board if one["house"]][:HOUSE_BOTS]:
            self._post(f"events/{made}/entries", {"bot": row["bot_id"]})
        return made

    def _hold(self, event: Mapping[str, Any]) -> None:
        """Ends when it is over."""
        made = self._announce({**event, "ladder": False}, timedelta(seconds=EVENT_S))
        _wait(lambda: self._get(f"events/{made}")["phase"] == "done", "The event is not over")

    def _open(self) -> None:
        """An event whose ladder is played; an organiser had to help."""
        about = "The final plays the ladder on until every prize is sure. Prizes: a book, a mug, a sticker."
        event = {"game": "yavalath", "name": "Summer cup", "stages": PLAYED_ON, "about": about}
        made = self._announce(event, timedelta(days=1, hours=3))
        self._post("announcements", {"message": "The hall opens at nine. Bring a pullover.", "event": made})
        _wait(
            lambda: min(row["games"] for row in self._get(f"events/{made}/ladder")["items"]) >= LADDER_GAMES,
            "The event's ladder has too few matches",
        )
        first = self._get("matches?kind=event%20ladder&state=done&limit=1")["items"][0]
        self._post(f"matches/{first['id']}/rerun", {"reason": "The power in the hall failed."})

    def _teach(self) -> None:
        """A class whose students have bots on the ladder, one of them not yet, and an assignment."""
        self._post("classes", {"game": "yavalath", "name": "Search and games, spring"})
        roster: FilePayload = {"name": "roster.csv", "mimeType": "text/csv", "buffer": ROSTER.encode()}
        path = "classes/1/roster"
        codes = _answer(self._context.request.post(f"/api/v1/{path}", multipart={"file": roster}), path)["codes"]
        due = datetime.now(UTC) + timedelta(days=6)
        self._post("classes/1/assignments", {"name": "Week 3", "deadline": due.isoformat()})
        *able, last = codes
        made = [self._submit(one, number) for number, one in enumerate(able, start=1)]
        self._submit(last, len(codes), {"language": "python", "source": LOUD})
        _wait(lambda: self._are(made, "live"), "The students have no bots")

    def _submit(self, student: Mapping[str, str], number: int, code: Mapping[str, str] | None = None) -> int:
        """A student signs in with their code and sends a bot: the submission."""
        with self._visitor() as context:
            self._post("sign-in/code", {"code": student["code"], "password": PASSWORD}, context.request)
            source = code or house_source(find_game("yavalath"), number)
            body = {"game": "yavalath", "bot": f"bot {number}", **source}
            return int(self._post("submissions", body, context.request)["id"])


def _answer(answer: Any, path: str) -> Any:
    if not answer.ok:
        raise SystemExit(f"{path}: {answer.status} {answer.text()}")
    return answer.json()


def _wait(is_true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        if time.monotonic() > end:
            raise SystemExit(f"{what} after {PATIENCE_S:.0f} s.")
        time.sleep(1)
