"""What the lines of a pool add up to: its game, its bots with their versions, and the results. No clock, no files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hexarena.cli.entrants import with_options
from hexarena.cli.pool.log import FORMAT, PoolError
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game, Json


@dataclass(frozen=True, slots=True)
class Member:
    """A bot of the pool in its newest version. `bot`: as for `hexarena match`, a path from the pool's folder."""

    name: str
    bot: str
    version: int
    digest: str
    node: int


@dataclass(frozen=True, slots=True)
class Version:
    """A node of the rating: a version of a bot. `parent`: the node of the version before, -1 for a first one."""

    name: str
    number: int
    digest: str
    parent: int


@dataclass(slots=True)
class Tally:
    """The matches of a version."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    faults: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return self.won + self.drawn + self.lost


@dataclass(frozen=True, slots=True)
class Result:
    """A match. `nodes`, `ranks`: of its entrants, in the order of their seats. `repeat`: an earlier one was equal."""

    nodes: tuple[int, ...]
    ranks: tuple[int, ...]
    repeat: bool


@dataclass(slots=True)
class PoolState:
    """A pool. `members`: those that play, by name. `matches`: the number of the last match."""

    game: Game
    league: int
    options: Mapping[str, int | str] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    left: dict[str, Member] = field(default_factory=dict)
    versions: list[Version] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    matches: int = 0
    cpu_s: float = 0.0
    _seen: dict[tuple[int, ...], set[str]] = field(default_factory=lambda: defaultdict(set))
    _nodes: dict[tuple[str, int], int] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Iterable[Mapping[str, Json]]) -> PoolState:
        """Raises: PoolError, UnknownGame."""
        rest = iter(lines)
        header = next(rest, {})
        if header.get("pool") != FORMAT:
            raise PoolError(f"expected a first line with pool {FORMAT}; got {dict(header)}")
        options = header.get("options", {})
        game = with_options(find_game(header["game"]), [f"{name}={value}" for name, value in options.items()])
        state = cls(game, header["league"], options)
        for line in rest:
            state.apply(line)
        return state

    def apply(self, line: Mapping[str, Json]) -> None:
        """Adds a line. Raises: PoolError when it does not fit those before."""
        try:
            if "match" in line:
                self._played(line)
            elif "enter" in line:
                self._enter(line["enter"], line["bot"], line["version"], line["digest"])
            elif "leave" in line:
                # Of two commands that removed it at once, the second finds it gone.
                if (member := self.members.pop(line["leave"], None)) is not None:
                    self.left[member.name] = member
            else:
                raise KeyError("match")
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise PoolError(f"expected a match, or a bot that enters or leaves; got {dict(line)} ({error!r})") from None

    def _enter(self, name: str, bot: str, version: int, digest: str) -> None:
        known = self._nodes.get((name, version))
        before = self.members.get(name) or self.left.pop(name, None)
        if known is None:
            known = self._nodes[name, version] = len(self.versions)
            self.versions.append(Version(name, version, digest, -1 if before is None else before.node))
            self.tallies.append(Tally())
        self.members[name] = Member(name, bot, version, digest, known)

    def _played(self, line: Mapping[str, Json]) -> None:
        nodes = tuple(self._nodes[name, version] for name, version in line["bots"])
        ranks = tuple(map(int, line["ranks"]))
        repeat = line["digest"] in self._seen[nodes]
        self._seen[nodes].add(line["digest"])
        self.results.append(Result(nodes, ranks, repeat))
        self.matches = max(self.matches, int(line["match"]))
        self.cpu_s += line["cpu_s"]
        for node, rank, fault in zip(nodes, ranks, line["faults"], strict=True):
            self._count(self.tallies[node], rank, ranks, faulty=fault is not None)

    @staticmethod
    def _count(tally: Tally, rank: int, ranks: Sequence[int], *, faulty: bool) -> None:
        tally.won += rank == 0 and ranks.count(0) == 1
        tally.drawn += rank == 0 and ranks.count(0) > 1
        tally.lost += rank > 0
        tally.faults += faulty

    def entering(self, name: str, bot: str, digest: str) -> dict[str, Json] | None:
        """The line by which a bot enters, or its new version; None if it is there just so."""
        member = self.members.get(name)
        if member is not None and (member.bot, member.digest) == (bot, digest):
            return None
        return self.entered(name, bot, digest)

    def entered(self, name: str, bot: str, digest: str) -> dict[str, Json]:
        """The line by which a bot enters. A version whose code was there before gets its number again."""
        numbers = {one.digest: one.number for one in self.versions if one.name == name}
        version = numbers.get(digest, len(numbers) + 1)
        return {"enter": name, "bot": bot, "version": version, "digest": digest}
