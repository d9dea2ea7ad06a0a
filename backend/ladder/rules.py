"""What a rating means for a bot: placed, promoted, stays, falls back, disabled. Values in, values out.

Theory of operation: every league but the top one is guarded by a boss, a bot that is rated like all others. A bot moves
up once all that is known says that it is stronger than the boss, with 95 % probability and after at least 20 games in
the league, 8 of them against this boss. It stays for now when the opposite is equally certain of all bosses above it,
or after 200 games; later it moves up only if its other ladder games leave no doubt. Whoever is no longer probably
stronger than the boss below its league meets this boss until that is settled, and falls back if it is surely weaker.

On trial, a bot meets the bosses of higher leagues, too, and moves up past the highest one that it surely beats. All
leagues play by the rules of the full game.

Source: the rules were chosen among others by simulation; `hexarena bench ladder --only promotion` repeats it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hexarena.games.referee import Fault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HOUSE = -1
"""The owner of all house bots, in place of a user's id."""
SURE = 0.95
"""P(stronger than the boss) that promotes. Below 1 - SURE the bot stays where it is."""
SURE_LATER = 0.99
"""The same for a bot that had its trial: it is tested again and again, and chance must not promote it."""
LEAST_GAMES = 20
"""In its league, before a bot can be promoted."""
MOST_GAMES = 200
"""Games after which a trial or a placement ends."""
PLACED = 0.8
"""P(true place within 5 % of the field or 2 places of the shown one) that ends a placement."""
LEAST_TO_PLACE = 12
"""Games before which no placement ends."""
LEAST_SINCE = 20
"""Games after a version came onto the ladder, or back to it, before its place is more than provisional."""
LEAST_BOSS_GAMES = 8
"""Games against a boss before a bot can pass it."""
BOSS_SHARE = 0.5
"""The share of a trial's games that is played against bosses."""
SURE_TO_FALL = 0.99
"""P(the boss below is stronger) that takes a bot's league away."""
SURELY_LOST = 0.999
"""The same by the games of the two alone: an equal of the boss, looked at after each game, falls in less than 1 %."""
SAFE = 0.9
"""P(stronger than the boss below) from which on a bot need not meet that boss."""
MOST_DEFENCES = 60
"""Games against the boss below, as long as these do not settle who is stronger."""
REPEATS_TO_KNOW = 2
"""Matches that repeat earlier ones, after which two bots in these seats are taken to have nothing new to show."""
CRASHES_TO_DISABLE = 10
"""Consecutive matches in which a version is disqualified by a fault of its own, after which it is disabled."""
NOTIFIED_PLACES = 100
"""An owner is notified when a bot is overtaken that was among so many from the top."""
HIDDEN_AFTER_DAYS = 90
"""A bot whose owner was away for this long leaves the board, and returns when its owner signs in or uploads code,
unless a season began meanwhile."""
SEASON_ELO = 100.0
"""How far a competitor's rating may stray from that of the season before, a standard deviation."""

Trial = Literal["open", "stays", "promoted"]


@dataclass(frozen=True, slots=True)
class Boss:
    """A boss as a climber sees it. `beaten`: P(the other is stronger), 0 to 1; `games`: between the two.

    `exhausted`: more games between them would only repeat earlier ones. `earlier`: games of the climber's earlier
    versions against it. `lost`: these games alone say that the boss is stronger, whatever the fit says; of the boss
    below, together with those.
    """

    beaten: float
    games: int
    exhausted: bool = False
    lost: bool = False
    earlier: int = 0

    @property
    def met(self) -> bool:
        """Whether the two met often enough for a decision, or as often as makes a difference."""
        return self.games >= LEAST_BOSS_GAMES or (self.exhausted and self.games > 0)


@dataclass(frozen=True, slots=True)
class Climber:
    """A live version and what is known of it. `league` counts from 1, the lowest; `bosses`: by league.

    `league_games`: rated games since it came into its league. `earlier_games`: those of its earlier versions there.
    """

    league: int
    league_games: int
    placing: bool
    trial: Trial
    bosses: Mapping[int, Boss]
    earlier_games: int = 0


def league_after(climber: Climber) -> int:
    """The league that a bot belongs in, as far as is known now.

    >>> sure, unsure = Boss(0.96, 10), Boss(0.6, 10)
    >>> league_after(Climber(1, 19, False, "open", {1: sure}))
    1
    >>> league_after(Climber(1, 20, False, "open", {1: sure}))
    2
    >>> league_after(Climber(1, 20, False, "open", {1: unsure, 2: unsure, 3: sure, 4: unsure}))
    4
    >>> league_after(Climber(1, 300, False, "stays", {1: sure}))
    1
    """
    passed = [league for league, boss in climber.bosses.items() if league >= climber.league and _passes(climber, boss)]
    if passed:
        return max(passed) + 1
    return climber.league - falls_back(climber)


def trial_after(climber: Climber) -> Trial:
    """The trial of a bot that is not promoted: over once it surely passes none of the bosses above it.

    >>> trial_after(Climber(1, 20, False, "open", {1: Boss(0.04, 10), 2: Boss(0.3, 2)}))
    'open'
    >>> trial_after(Climber(1, 20, False, "open", {1: Boss(0.04, 10), 2: Boss(0.01, 2)}))
    'stays'
    """
    had_trial = climber.trial == "stays"
    undecided = any(
        promotion(boss.beaten, climber.league_games, had_trial=had_trial) != "stays"
        for league, boss in climber.bosses.items()
        if league >= climber.league and not boss.lost
    )
    return "open" if undecided else "stays"


def _passes(climber: Climber, boss: Boss) -> bool:
    if not boss.met or climber.league_games < LEAST_GAMES or boss.lost:
        return False
    return promotion(boss.beaten, climber.league_games, had_trial=climber.trial == "stays") == "promoted"


def promotion(beats_boss: float, games: int, *, had_trial: bool = False) -> Trial:
    """`beats_boss`: P(stronger than the boss), 0 to 1; `games`: rated games in the league."""
    if games < LEAST_GAMES:
        return "open"
    if beats_boss >= (SURE_LATER if had_trial else SURE):
        return "promoted"
    return "stays" if had_trial or beats_boss <= 1 - SURE or games >= MOST_GAMES else "open"


def falls_back(climber: Climber) -> bool:
    """Whether a bot, perhaps a weaker version of one that was promoted, must pass the boss below again.

    Games of earlier versions count for how often it has met him, or who uploads often enough would never fall.

    >>> falls_back(Climber(2, 20, False, "stays", {1: Boss(0.01, 8)}))
    True
    >>> falls_back(Climber(2, 3, False, "stays", {1: Boss(0.01, 1, earlier=7)}, earlier_games=17))
    True
    """
    lower = climber.bosses.get(climber.league - 1)
    if lower is None or climber.league_games + climber.earlier_games < LEAST_GAMES:
        return False
    met = lower.met or 0 < lower.games >= LEAST_BOSS_GAMES - lower.earlier
    return met and (lower.beaten <= 1 - SURE_TO_FALL or lower.lost)


def surely_lost(games: int, points: float) -> bool:
    """Whether games of two alone say that the one with these points is weaker, whatever is known of others.

    P(its chance is below one half) from a uniform prior; half points count in its favour. A fit that begins from
    everybody's mean says it later the more games are lost, since it also knows less and less of the distance.

    >>> surely_lost(8, 0), surely_lost(9, 0), surely_lost(30, 8), surely_lost(30, 5.5)
    (False, True, False, True)
    """
    won = math.ceil(points)
    if 2 * won >= games:
        return False
    from scipy import special  # noqa: PLC0415 - only refits decide this; other parts know the rules without scipy

    return bool(special.betainc(won + 1, games - won + 1, 0.5) >= SURELY_LOST)


def must_defend(beaten: float, boss_games: int) -> bool:
    """Whether a bot has to meet the boss below its league. `beaten`: P(stronger than it); `boss_games`: between them.

    >>> must_defend(0.5, 0), must_defend(0.95, 0), must_defend(0.5, 60)
    (True, False, False)
    """
    return beaten < SAFE and boss_games < MOST_DEFENCES


def only_repeats(games: float, repeats: int) -> bool:
    """Whether matches of two in these seats only repeat earlier ones. `games`: different ones; `repeats`: the others.

    >>> only_repeats(1, 1), only_repeats(1, 2), only_repeats(3, 2)
    (False, True, False)
    """
    return repeats >= REPEATS_TO_KNOW and repeats >= games


def only_repeats_each(games: NDArray[Any], repeats: NDArray[Any]) -> NDArray[np.bool_]:
    """`only_repeats` of many."""
    known: NDArray[np.bool_] = (repeats >= REPEATS_TO_KNOW) & (repeats >= games)
    return known


def provisional(placing: bool, games: int, *, spent: bool) -> bool:
    """Whether a shown place is provisional. `games`: rated ones since it came onto the ladder, or back to it.

    `spent`: it has no new game to play.
    """
    return placing or (games < LEAST_SINCE and not spent)


def placed(probability: float, games: int) -> bool:
    """Whether a placement ends. `probability`: P(place within reach of the shown one); `games`: all rated ones."""
    return games >= MOST_GAMES or (games >= LEAST_TO_PLACE and probability >= PLACED)


def meets_boss_next(league_games: int, boss_games: int) -> bool:
    """Whether a bot on trial plays a boss now: every second game. `boss_games`: against all those it may pass."""
    return boss_games < BOSS_SHARE * (league_games + 1)


def must_be_disabled(consecutive: int) -> bool:
    """Whether a version is to be disabled. `consecutive`: consecutive matches in which it was disqualified."""
    return consecutive >= CRASHES_TO_DISABLE


def disabled_problem(consecutive: int, last: str, *, copy: bool = False) -> str:
    """The message to the owner of a disabled version. `last`: the kind of its newest fault.

    `copy`: that match was played by another bot with the same code, whose logs that owner may not see.
    """
    matches, logs = f"{consecutive} consecutive matches", "The seat logs of these matches show why. "
    if copy:
        matches, logs = f"{matches} of bots with the same code", ""
    return (
        f"Disabled: disqualified by a fault of its own in {matches}, most recently: {last}. "
        f"{logs}Fix it and submit again, or restore an earlier version."
    )


def check_problem(seats: Collection[int], faults: Sequence[Fault]) -> str | None:
    """Why the bot in these seats fails its check match, or None if it passes: it may lose, but must play legally."""
    own = [fault for fault in faults if fault.seat in seats and fault.kind != "warning"]
    if not own:
        return None
    first = own[0]
    return f"In the check match, turn {first.turn}: {first.kind}: {first.message}"


def places(competitors: Iterable[int]) -> list[int]:
    """The places of the lines of a board, from its top: a competitor's lines share one, and others count it once.

    >>> places([5, 7, 7, 8, 5])
    [1, 2, 2, 3, 1]
    """
    place: dict[int, int] = {}
    return [place.setdefault(one, len(place) + 1) for one in competitors]


def overtaken(before: Sequence[int], after: Sequence[int]) -> dict[int, int]:
    """Who of the top places was passed, and by whom. Of several that passed it, the one that climbed the most places.

    `before`, `after`: the board from its top, of the same bots; newcomers pass nobody.

    >>> overtaken([1, 2, 3, 4], [3, 1, 4, 2])
    {1: 3, 2: 3}
    >>> overtaken([1, 2, 3, 4], [2, 3, 4, 1])
    {1: 2}
    """
    was = {one: place for place, one in enumerate(before)}
    found = {}
    for place, one in enumerate(after):
        if was.get(one, NOTIFIED_PLACES) >= NOTIFIED_PLACES:
            continue
        climbs = {other: was[other] - now for now, other in enumerate(after[:place]) if was.get(other, 0) > was[one]}
        if climbs:
            found[one] = max(climbs, key=lambda other: climbs[other])
    return found
