"""Holds a contest in an arena of its own: an open ladder, a deadline, groups of 8 and a knockout, and checks its file.

Each entrant is an account with one bot. The bots are the game's own under other names, so that many of them are equally
strong: ties are what finals break on. While the final is played, workers are killed. Prints a table of what it took.

CPU time is that of a control group in which all of the arena runs, whoever is killed or not waited for; where none can
be made, it is that of processes that ended and were waited for, which is less.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx
from own_arena import OwnArena, house_source, own_arena
from rich.console import Console
from rich.table import Table

from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from hexarena.worker.sandbox import cgroup

TOO_MANY = 429
PASSWORD = "correct horse battery"  # noqa: S105 - of an arena that is gone afterwards
LOOK_S = 2.0
KILLS = 3
PATIENCE_S = 7200.0


class Account:
    """What somebody does who is signed in, over HTTP."""

    def __init__(self, url: str, name: str) -> None:
        self._http = httpx.Client(base_url=f"{url}/api/v1", headers={"Origin": url}, timeout=60)
        self.post("/sign-in", {"name": name, "password": PASSWORD})

    def get(self, path: str, **query: Any) -> Any:
        """What the API answers. Raises: httpx.HTTPStatusError."""
        return self._http.get(path, params=query).raise_for_status().json()

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The same of what changes something, again where that is too much at once."""
        while (answer := self._http.post(path, json=dict(body))).status_code == TOO_MANY:
            time.sleep(float(answer.headers.get("Retry-After", LOOK_S)))
        if answer.is_error:
            raise SystemExit(f"{path}: {answer.status_code} {answer.text}")
        return answer.json()

    def file(self, event: int) -> bytes:
        """The published file."""
        return self._http.get(f"/events/{event}/file").raise_for_status().content


class Contest:
    """An organiser, and entrants with an account each."""

    def __init__(self, running: OwnArena, game: Game, entrants: int) -> None:
        self.running, self.game = running, game
        names = [f"Entrant {number}" for number in range(1, entrants + 1)]
        self._import([("Ada", "organiser"), *((name, "user") for name in names)])
        self.organiser = Account(running.url, "Ada")
        self._entrants = [Account(running.url, name) for name in names]

    def _import(self, people: Sequence[tuple[str, str]]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            roster = Path(folder, "roster.csv")
            with roster.open("w", newline="", encoding="utf-8") as written:
                rows = csv.writer(written)
                rows.writerow(("name", "role", "password"))
                rows.writerows((name, role, PASSWORD) for name, role in people)
            self.running.run("user", "import", str(roster), "--out", str(Path(folder, "passwords.csv")))

    def enter(self, event: str) -> None:
        """Everybody uploads a bot and enters it. `event`: its address."""
        for number, one in enumerate(self._entrants, start=1):
            body = {"game": self.game.id, "bot": f"entrant {number}", **house_source(self.game, number)}
            one.post(f"{event}/entries", {"bot": one.post("/submissions", body)["bot_id"]})


@contextmanager
def counted() -> Iterator[Callable[[], tuple[str, float]]]:
    """All processes that are started meanwhile are in a control group of their own. Returns what has counted their CPU
    time so far, and the seconds.
    """
    homes = [home for name, home in cgroup.own_places().items() if name in {"cpuacct", ""}]
    # Workers make their groups beside their own or, with version 1, below it.
    places = [(home, place / f"contest.{os.getpid()}") for home in homes for place in (home.parent, home)]
    home, group = next((one for one in places if _enter(*one)), (None, None))
    try:
        yield lambda: _cpu_s(group)
    finally:
        if home is not None and group is not None:
            _leave(home, group)


def _enter(home: Path, group: Path) -> bool:
    """Moves this process below a new control group, if that one counts CPU time."""
    with suppress(OSError):
        (group / "arena").mkdir(parents=True)
        if _usage(group) is not None:
            (group / "arena" / "cgroup.procs").write_text(str(os.getpid()))
            return True
    _leave(home, group)
    return False


def _leave(home: Path, group: Path) -> None:
    with suppress(OSError):
        (home / "cgroup.procs").write_text(str(os.getpid()))
    for folder in (group / "arena", group):
        with suppress(OSError):
            folder.rmdir()


def _usage(group: Path) -> float | None:
    """CPU seconds, by version 1 or 2."""
    with suppress(OSError):
        return int((group / "cpuacct.usage").read_text()) / 1e9
    with suppress(OSError):
        return int((group / "cpu.stat").read_text().split()[1]) / 1e6
    return None


def _cpu_s(group: Path | None) -> tuple[str, float]:
    if group is not None and (seconds := _usage(group)) is not None:
        return "a control group", seconds
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return "processes that were waited for, others not counted", used.ru_utime + used.ru_stime


def wait(is_true: Callable[[], bool], what: str, meanwhile: Callable[[], None] = lambda: None) -> float:
    """Waits until it is true. Returns the minutes. Exits where it never is."""
    began = time.monotonic()
    while not is_true():
        if time.monotonic() - began > PATIENCE_S:
            raise SystemExit(f"In {PATIENCE_S:.0f} s it never came true: {what}")
        meanwhile()
        time.sleep(LOOK_S)
    return (time.monotonic() - began) / 60


def kill_a_worker(folder: str) -> bool:
    """Ends a worker of the arena in this folder at once. False where there is none."""
    for process in Path("/proc").iterdir():
        try:
            name = (process / "comm").read_text().strip()
            environment = (process / "environ").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        if name == "arena-worker" and f"HEXARENA_DATA_FOLDER={folder}".encode() in environment:
            os.kill(int(process.name), signal.SIGKILL)
            return True
    return False


def tampered(content: bytes) -> bytes:
    """The file, with the result of one game turned round."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            body = old.read(name)
            if name == "event.json":
                event = json.loads(body)
                game = event["played"][-1]["pairings"][-1]["games"][0]
                game["ranks"] = [1 - rank for rank in game["ranks"]]
                body = json.dumps(event).encode()
            new.writestr(name, body)
    return changed.getvalue()


def verified(content: bytes, commitment: str) -> tuple[int, str]:
    """What `hexarena verify-event` ends with, and what it says."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "event.zip")
        file.write_bytes(content)
        command = [sys.executable, "-m", "hexarena.cli", "verify-event", str(file), "--commitment", commitment]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1]


def hold(contest: Contest, open_minutes: float, entrants: int) -> list[tuple[str, str]]:
    """The whole contest: lines of the table."""
    lines: list[tuple[str, str]] = []
    began, organiser = time.monotonic(), contest.organiser
    stages = [
        {"form": "groups", "groups": max(2, entrants // 8), "seeds": 1, "advance": 2},
        {"form": "knockout", "best_of": 4, "third_place": True},
    ]
    deadline = datetime.now(UTC) + timedelta(minutes=open_minutes)
    body = {"game": contest.game.id, "name": "Contest", "deadline": deadline.isoformat(), "stages": stages}
    made = organiser.post("/events", body)["event"]
    address, commitment = f"/events/{made['id']}", made["commitment"]
    contest.enter(address)
    cost = organiser.post("/events/preview", {"game": contest.game.id, "stages": stages, "entrants": entrants})
    lines.append(("uploading, entering", f"{(time.monotonic() - began) / 60:.1f} min"))
    wait(lambda: datetime.now(UTC) > deadline, "the deadline")
    public = organiser.get(f"/games/{contest.game.id}")["matches"]
    freezing = wait(lambda: organiser.get(address)["phase"] == "playing", "versions are frozen")
    board = [one["games"] for one in organiser.get(f"{address}/ladder")["items"]]
    own = f"{sum(board) // 2:,} matches that count, {min(board)} to {max(board)} of a bot"
    lines.append(("the event's ladder", f"{open_minutes:g} min, {own}"))
    lines.append(("the game's ladder by then", f"{public:,} matches, with checks"))
    lines.append(("until versions were frozen", f"{freezing:.1f} min"))

    killed: list[float] = []
    folder = contest.running.environment["HEXARENA_DATA_FOLDER"]

    def kill_sometimes() -> None:
        played = organiser.get(address)["games"]
        if (
            len(killed) < KILLS
            and played > (len(killed) + 1) * sum(cost["games"]) / (KILLS + 2)
            and kill_a_worker(folder)
        ):
            killed.append(time.monotonic())

    playing = wait(lambda: organiser.get(address)["phase"] == "done", "the final is over", kill_sometimes)
    event = organiser.get(address)
    planned = f"at most {sum(cost['games'])} and those that break ties"
    lines.append(("final", f"{playing:.1f} min, {event['games']} games that count: {planned}"))
    lines.append(("workers killed meanwhile", str(len(killed))))
    if (foreseen := cost["minutes"]) is not None:
        lines.append(
            ("foreseen by the preview", f"at most {foreseen:.2g} min, {cost['cpu_hours']:.2f} CPU hours of bots")
        )
    lines.append(("winners", ", ".join(one["bot"] for one in event["winners"])))
    content = organiser.file(made["id"])
    lines.append(("published file", f"{len(content) / 1000:,.0f} kB"))
    lines.append(("verify-event", "{}: {}".format(*verified(content, commitment))))
    lines.append(("verify-event, tampered", "{}: {}".format(*verified(tampered(content), commitment))))
    return lines


def main(arguments: Sequence[str]) -> None:
    """Holds it and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entrants", type=int, default=64)
    parser.add_argument("--open", type=float, default=20, help="minutes that the ladder is open")
    parser.add_argument("--game", default="ants")
    asked = parser.parse_args(arguments)
    with counted() as cpu_s:
        with own_arena(1) as running:
            lines = hold(Contest(running, find_game(asked.game), asked.entrants), asked.open, asked.entrants)
        by, seconds = cpu_s()
    table = Table("what", "took", title=f"A contest of {asked.entrants} in {asked.game}")
    for line in lines:
        table.add_row(*line)
    table.add_row("CPU of the arena, and of checking its file", f"{seconds / 3600:.2f} h, counted by {by}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
