"""The pool that runs: it looks after its bots, chooses matches, and writes down results, until it is stopped."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from random import Random

import numpy as np

from hexarena.cli.entrants import Refused, as_text
from hexarena.cli.pool.bots import DIGEST_CHARACTERS, bots_in, digest_of, is_of_house, ready_member
from hexarena.cli.pool.log import PoolError, PoolLog
from hexarena.cli.pool.ranking import Ranking
from hexarena.cli.pool.state import Member, PoolState
from hexarena.cli.process_pool import ProcessPool, naming_faults_of
from hexarena.games.contract import Game, Json
from hexarena.games.seeds import random_seed
from hexarena.worker.play import ReadyBot, Watch, play_match, play_with_retries
from hexarena.worker.sandbox import LanguageMissing, Sandbox

ATTEMPTS = 5
"""Attempts at one match that our side makes void, before the pool gives up."""
LOOK_S = 2.0
"""How often bots are compared with what was built of them."""


@dataclass(frozen=True, slots=True)
class Job:
    """A match that is to be played. `bots`: (name, version) of each entrant; `entrants`: these, built."""

    number: int
    seed: int
    bots: tuple[tuple[str, int], ...]
    entrants: tuple[ReadyBot, ...]


@dataclass(slots=True)
class Pool:
    """A pool with its bots. `broken`: name -> why a bot does not play, until it changes. `ended`: why it stopped."""

    log: PoolLog
    state: PoolState
    opens: Callable[[], Sandbox]
    ranking: Ranking = field(init=False)
    broken: dict[str, str] = field(default_factory=dict)
    played: int = 0
    ended: str = ""
    _ready: dict[int, ReadyBot] = field(default_factory=dict)
    _held: dict[int, Callable[[], None]] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)
    _running: Counter[tuple[int, int]] = field(default_factory=Counter)
    _looked: float = 0.0
    _seen: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ranking = Ranking(self.state)

    # --- Bots --------------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Reads what was appended to the file, by this pool and by other commands."""
        for line in self.log.new_lines():
            self.state.apply(line)

    def look_after_bots(self, *, at_once: bool = False) -> None:
        """Takes in new bots of the folder and new versions, and builds what is not built.

        Code counts once two looks in a row find the same, or `at_once`: an editor may be in the middle of saving it.
        """
        self._looked = time.monotonic()
        self.follow()
        new = list(bots_in(self.log.folder, self.state))
        known = [(member.name, member.bot) for member in self.state.members.values()]
        # A house bot comes in by `pool add`. What is called so in the folder would play with the house's code.
        for name, bot in [one for one in new if is_of_house(self.state.game, one[1])]:
            self.broken[name] = f"{bot}: expected a name that no house bot has; rename it"
            new.remove((name, bot))
        for name, bot in [one for one in new if as_text(one[1]) != one[1]]:
            self.broken[name] = f"{bot}: expected a file name that is UTF-8; rename it"
            new.remove((name, bot))
        readable = {name for name, bot in [*new, *known] if self._enter(name, bot, at_once=at_once)}
        self.follow()
        there = [one for one in self.state.members.values() if one.name in readable]
        for one in there:
            if one.node in self._ready and self._failed.pop(one.name, None) is not None:
                self.broken.pop(one.name, None)  # an earlier version that is built came back
        missing = [one for one in there if one.node not in self._ready]
        missing = [one for one in missing if self._failed.get(one.name) != one.digest]
        if missing:
            with self.opens() as sandbox:
                for member in missing:
                    self._build(sandbox, member)
        self._forget_old({one.node for one in self.state.members.values()})

    def _forget_old(self, current: set[int]) -> None:
        """Lets go of the builds of versions that play no more."""
        playing = {node for (node, _), count in self._running.items() if count}
        for node in self._ready.keys() - current - playing:
            del self._ready[node]
            self._held.pop(node)()

    def _enter(self, name: str, bot: str, *, at_once: bool) -> bool:
        """Appends a line if the bot is new, or changed. Returns whether its code can be read."""
        try:
            digest = digest_of(self.state.game, self.log.folder, bot)
        except Refused as error:
            self.broken[name] = str(error)
            return False
        settled = at_once or self._seen.get(name) == digest
        self._seen[name] = digest
        line = self.state.entering(name, bot, digest) if settled else None
        if name not in self._failed:
            self.broken.pop(name, None)
        if line is not None:
            self.log.append(line)
        return True

    def _build(self, sandbox: Sandbox, member: Member) -> None:
        game, folder = self.state.game, self.log.folder
        try:
            ready = ready_member(game, folder, sandbox, member.name, member.bot)
            if digest_of(game, folder, member.bot) == member.digest:
                self._held[member.node] = sandbox.hold(ready.program)
                self._ready[member.node] = ready
        except (Refused, LanguageMissing) as error:
            self.broken[member.name], self._failed[member.name] = str(error), member.digest
        else:
            self.broken.pop(member.name, None)
            self._failed.pop(member.name, None)

    def playable(self) -> list[int]:
        """The nodes of the members that are built, and whose file is there."""
        members = self.state.members.values()
        return [one.node for one in members if one.node in self._ready and one.name not in self.broken]

    # --- Matches -----------------------------------------------------------------------------------------------------

    def run(self, cores: Sequence[int], games: int | None, show: Callable[[Pool], None]) -> None:
        """Plays `games` matches, or until it is stopped. Matches of a program that has changed since are not recorded.

        Raises: PoolError, SandboxError, KeyboardInterrupt.
        """
        self.look_after_bots(at_once=True)
        self._require_two()
        game, league = self.state.game, self.state.league
        with ProcessPool(cores, self.opens, partial(_play, game, league)) as processes:
            for line in processes.in_order(self._jobs(games), tick=partial(show, self)):
                nodes = [self._node(name, version) for name, version in line["bots"]]
                if all(map(self._is_what_played, nodes)):
                    self.log.append(line)
                    self.follow()
                    self.played += 1
                self._count_running(nodes, -1)
                show(self)

    def _is_what_played(self, node: int) -> bool:
        """Whether a version that was running is what it was. A program, which is not built, runs from its own file:
        once that has changed, nobody knows which one has played.
        """
        if self._ready[node].player.language:
            return True
        version = self.state.versions[node]
        member = self.state.members.get(version.name) or self.state.left.get(version.name)
        try:
            digest = "" if member is None else digest_of(self.state.game, self.log.folder, member.bot)
        except Refused:
            return False
        return digest == version.digest

    def _require_two(self) -> None:
        if len(self.playable()) >= 2:
            return
        why = "".join(f"\n{name}: {reason}" for name, reason in self.broken.items())
        folder = self.log.folder
        raise PoolError(
            f"expected two bots that can play; got {len(self.playable())}. Put one into {folder}, or: "
            f"hexarena pool add {folder} BOT{why}"
        )

    def _jobs(self, games: int | None) -> Iterator[Job]:
        random, numbers = Random(secrets.randbits(64)), np.random.default_rng(secrets.randbits(64))
        number, last = self.state.matches, None if games is None else self.state.matches + games
        while last is None or number < last:
            if time.monotonic() - self._looked >= LOOK_S:
                self.look_after_bots()
            chosen = self._choose(numbers)
            if not chosen:  # somebody may have put another bot in since the last look, and it is not built yet
                self.look_after_bots()
                chosen = self._choose(numbers)
            if not chosen:
                self.ended = self._why_none(len(self.playable()))
                return
            number += 1
            self._count_running(chosen, 1)
            versions = [self.state.versions[node] for node in chosen]
            bots = tuple((version.name, version.number) for version in versions)
            yield Job(number, random_seed(random), bots, tuple(self._ready[node] for node in chosen))

    def _choose(self, numbers: np.random.Generator) -> tuple[int, ...]:
        playable = self.playable()
        return self.ranking.next_match(playable, self._running, numbers) if len(playable) >= 2 else ()

    @staticmethod
    def _why_none(playable: int) -> str:
        if playable < 2:
            return f"expected two bots that can play; {playable} is left"
        return "these bots repeat their matches, reply by reply: more of them would show nothing new"

    def _count_running(self, nodes: Sequence[int], change: int) -> None:
        for pair in permutations(nodes, 2):
            self._running[pair] += change

    def _node(self, name: str, version: int) -> int:
        return next(node for node, one in enumerate(self.state.versions) if (one.name, one.number) == (name, version))


def _play(game: Game, league: int, sandbox: Sandbox, job: Job, watch: Watch) -> dict[str, Json]:
    """Plays a match, with retries, in a process of the pool. Returns its line for the file.

    Raises: SandboxFailed when all attempts are void, GameFailed.
    """
    seated = game.side_by_side(job.entrants)
    attempt = partial(play_match, game, sandbox, seated, seed=job.seed, league=league, watch=watch)
    with naming_faults_of(game.id):
        played = play_with_retries(attempt, lambda _: None, attempts=ATTEMPTS)
    record = played.record
    kinds: list[str | None] = [None] * len(job.bots)
    for fault in record.faults:
        if fault.kind != "warning":
            kinds[game.team(fault.seat)] = kinds[game.team(fault.seat)] or fault.kind
    return {
        "match": job.number,
        "seed": job.seed,
        "bots": job.bots,
        "ranks": record.outcome.ranks[:: game.team_seats],
        "faults": kinds,
        "turns": len(record.turns),
        "cpu_s": round(played.cpu_ms / 1000, 3),
        "digest": record.moves_digest(game)[:DIGEST_CHARACTERS],
    }
