"""What a stage plays next, and its state: for every form the same questions. Pure.

Theory of operation. A stage is a function of its options, its entrants in the order of the seeding, and the outcomes so
far. `due` gives the pairings that can be played now and are not known yet, `due_heats` the heats; when there are none
and every one has an outcome, the stage is over. So nothing has to be remembered but these and their outcomes, and
whoever has them can check everything else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from hexarena.backend.events import brackets, games, heats, strengths, swiss, tables
from hexarena.backend.events.forms import (
    MOST_ENTRANTS,
    MOST_PAIRINGS,
    MOST_PLAYOFFS,
    MOST_STAGES,
    BadStage,
    Form,
    Heat,
    HeatOutcome,
    Outcome,
    Pairing,
    Prior,
    Stage,
    TooLong,
    group_name,
)

LIMITS = f"at most {MOST_PAIRINGS:,} pairings of {MOST_ENTRANTS:,} entrants"


@dataclass(frozen=True, slots=True)
class State:
    """A stage so far. `entrants`: in the order of the seeding. `prizes`: places that must not be left to the seeding;
    0 if the stage is not the last one. `priors`: of the ladder at the deadline, of those who had a rating. `heats`,
    `heat_outcomes`: of a stage of heats, which has no pairings. `in_heat`: how many may play in a heat. `outside`: who
    takes no prize, so that nothing is played about its place. `left`: who went out by the end of it, and so does not
    advance.
    """

    stage: Stage
    entrants: tuple[int, ...]
    pairings: tuple[Pairing, ...]
    outcomes: Mapping[int, Outcome]
    paired: bool
    prizes: int = 0
    priors: Mapping[int, Prior] = field(default_factory=dict)
    heats: tuple[Heat, ...] = ()
    heat_outcomes: Mapping[int, HeatOutcome] = field(default_factory=dict)
    in_heat: int = 2
    outside: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()

    def matters(self, entrant: int) -> bool:
        """Whether a prize, or somebody's place in the next stage, may hang on its place."""
        return entrant not in self.outside

    @property
    def is_played(self) -> bool:
        """Whether every pairing or heat so far has an outcome."""
        pairs = all(one.number in self.outcomes for one in self.pairings)
        return pairs and all(one.number in self.heat_outcomes for one in self.heats)


# --- What is to be played ---------------------------------------------------------------------------------------------


def due(state: State) -> list[Pairing]:
    """The pairings that can be played now and are not in `state.pairings`."""
    if len(state.entrants) < 2 or state.stage.form == Form.HEATS:
        return []
    if state.stage.form == Form.KNOCKOUT:
        return _due_in_bracket(state)
    if not state.is_played:
        return []
    if state.stage.form == Form.LADDER:
        return _next_of_ladder(state)
    if state.stage.form == Form.SWISS and _rounds_played(state) < state.stage.rounds:
        return _next_swiss_round(state)
    if not state.pairings:
        return _all_pairs(state)
    return _playoffs(state)


def due_heats(state: State) -> list[Heat]:
    """The heats that can be played now and are not in `state.heats`."""
    if len(state.entrants) < 2 or state.stage.form != Form.HEATS or not state.is_played:
        return []
    played = max((one.round for one in state.heats if not one.playoff), default=0)
    if played == state.stage.rounds:
        return _playoff_heats(state)
    if played == 0:
        found = heats.dealt(state.entrants, state.in_heat)
    else:
        found = heats.by_points(ranking(state), heats.meetings(state.heats), state.in_heat)
    return [Heat(len(state.heats) + index, played + 1, one) for index, one in enumerate(found)]


def _playoff_heats(state: State) -> list[Heat]:
    """Those whom only the seeding would separate, where it matters, once more among themselves."""
    rows = [row for row in heat_table(state) if state.matters(row.entrant)]
    number = max(one.round for one in state.heats) + 1
    found: list[Heat] = []
    for tied in heats.tied(rows, _boundaries(state, len(rows))):
        before = max((one.playoff for one in state.heats if set(tied) & set(one.entrants)), default=0)
        if before < MOST_PLAYOFFS:
            for one in heats.dealt(tied, state.in_heat):
                found.append(Heat(len(state.heats) + len(found), number, one, before + 1))
    return found


def is_over(state: State) -> bool:
    """Whether nothing is left to play."""
    return state.is_played and not due(state) and not due_heats(state)


def members(state: State) -> dict[str, list[int]]:
    """Group -> its entrants in the order of the seeding. The seeding goes through the groups to and fro."""
    count = state.stage.groups if state.stage.form == Form.GROUPS else 1
    found: dict[str, list[int]] = {group_name(index): [] for index in range(min(count, len(state.entrants)))}
    names = list(found)
    for index, entrant in enumerate(state.entrants):
        lap, position = divmod(index, len(names))
        found[names[position if lap % 2 == 0 else len(names) - 1 - position]].append(entrant)
    return found


def _all_pairs(state: State) -> list[Pairing]:
    """Everybody against everybody in each group, in rounds, so that all have played about equally often."""
    by_round: list[tuple[int, str, int, int]] = []
    for name, group in members(state).items():
        by_round += [(number, name, *pair) for number, pair in _circle(group)]
    by_round.sort(key=lambda one: one[0])
    return [Pairing(index, number, name, *pair) for index, (number, name, *pair) in enumerate(by_round)]


def _circle(group: Sequence[int]) -> list[tuple[int, tuple[int, int]]]:
    """(round, pair) by the circle method."""
    ring: list[int | None] = [*group, *([None] if len(group) % 2 else [])]
    found = []
    for number in range(1, len(ring)):
        for one, other in zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True):
            if one is not None and other is not None:
                found.append((number, (one, other)))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return found


def _rounds_played(state: State) -> int:
    return max((one.round for one in state.pairings if not one.playoff), default=0)


def _next_swiss_round(state: State) -> list[Pairing]:
    standing = [(row.entrant, row.points) for row in _swiss_table(state)]
    met = {frozenset((one.first, one.second)) for one in state.pairings}
    pairs, _ = swiss.pair(standing, met, list(_byes(state)))
    start, number = len(state.pairings), _rounds_played(state) + 1
    return [Pairing(start + index, number, "", *pair) for index, pair in enumerate(pairs)]


def _next_of_ladder(state: State) -> list[Pairing]:
    """Those of whom it matters and is not sure who is the stronger, the least sure ones first, each once a round."""
    if (number := _rounds_played(state) + 1) > state.stage.rounds:
        return []
    busy: set[int] = set()
    found: list[Pairing] = []
    among = [one for one in state.entrants if state.matters(one)]
    for first, second in _strengths(state).among(among).doubts(_boundaries(state, len(among))):
        if not busy & {first, second}:
            busy |= {first, second}
            found.append(Pairing(len(state.pairings) + len(found), number, "", first, second))
    return found


def _strengths(state: State) -> strengths.Strengths:
    return strengths.strengths(state.entrants, state.priors, state.pairings, state.outcomes)


def _byes(state: State) -> dict[int, int]:
    """Entrant -> half points for rounds that it had no opponent in: as if it had won each game."""
    full = 2 * games.planned(state.stage, paired=state.paired)
    found: dict[int, int] = {}
    for number in range(1, _rounds_played(state) + 1):
        playing = {who for one in state.pairings if one.round == number for who in (one.first, one.second)}
        for entrant in state.entrants:
            if entrant not in playing:
                found[entrant] = found.get(entrant, 0) + full
    return found


def _swiss_table(state: State) -> list[tables.Row]:
    return tables.table(state.entrants, state.pairings, state.outcomes, swiss=True, byes=_byes(state))


def _playoffs(state: State) -> list[Pairing]:
    """Those whom only the seeding would separate, where it matters: each plays each once more."""
    found: list[Pairing] = []
    number = _last_round(state)
    for name, rows in standings(state).items():
        group = {row.entrant for row in rows}
        before = max((one.playoff for one in state.pairings if one.first in group), default=0)
        if before == MOST_PLAYOFFS:
            continue
        counted = [row for row in rows if state.matters(row.entrant)]
        for tied in tables.ties(counted, _boundaries(state, len(counted))):
            for first, second in combinations(tied, 2):
                start = len(state.pairings) + len(found)
                found.append(Pairing(start, number + 1, name, first, second, before + 1))
    return found


def _last_round(state: State) -> int:
    return max((one.round for one in state.pairings), default=0)


def _boundaries(state: State, size: int) -> range:
    """The places behind which it matters who is better. `size`: how many there are of those that `matters` names."""
    if state.prizes:
        return range(1, min(state.prizes, size - 1) + 1)
    return range(state.stage.advance, state.stage.advance + 1)


def bracket_of(state: State) -> list[brackets.Node]:
    """The nodes of a knockout."""
    return brackets.bracket(len(state.entrants), lives=state.stage.lives, third_place=state.stage.third_place)


def winners(state: State) -> dict[int, int]:
    """Pairing -> who won it, where somebody did."""
    return {number: one.winner for number, one in state.outcomes.items() if one.winner is not None}


def _due_in_bracket(state: State) -> list[Pairing]:
    nodes = bracket_of(state)
    known = {one.number for one in state.pairings}
    held = brackets.resolve(nodes, state.entrants, winners(state))
    found = []
    for node in nodes:
        first, second = held[node.number].first, held[node.number].second
        if node.number not in known and first is not None and second is not None:
            found.append(Pairing(node.number, node.round, node.part, first, second))
    return found


# --- Its state --------------------------------------------------------------------------------------------------------


def standings(state: State) -> dict[str, list[tables.Row]]:
    """Group -> its table. A knockout has none, and heats have another one."""
    if state.stage.form in {Form.KNOCKOUT, Form.HEATS}:
        return {}
    if state.stage.form == Form.SWISS:
        return {"": _swiss_table(state)}
    if state.stage.form == Form.LADDER:
        return {"": _ladder_table(state)}
    by_group = members(state)
    return {
        name: tables.table(group, [one for one in state.pairings if one.part == name], state.outcomes)
        for name, group in by_group.items()
    }


def heat_table(state: State) -> list[heats.Row]:
    """The table of a stage of heats."""
    return heats.table(state.entrants, state.heats, state.heat_outcomes, games=state.stage.games)


def _ladder_table(state: State) -> list[tables.Row]:
    """By strength. What was played is shown beside it."""
    rows = {row.entrant: row for row in tables.table(state.entrants, state.pairings, state.outcomes)}
    known = _strengths(state)
    counted = known.among([one for one in state.entrants if state.matters(one)])
    sure = dict(zip(counted.order, counted.sure(), strict=False))  # the last one has nobody below
    return [
        replace(
            rows[one],
            place=place,
            decided_by=None,
            rating=known.ratings[one],
            deviation=known.deviations[one],
            sure=sure.get(one),
        )
        for place, one in enumerate(known.order, start=1)
    ]


def ranking(state: State) -> list[int]:
    """All entrants, the best first. Across groups: by place in the group, then by points for each game."""
    if state.stage.form == Form.LADDER:
        return list(_strengths(state).order)
    if state.stage.form == Form.HEATS:
        return [row.entrant for row in heat_table(state)]
    if state.stage.form == Form.KNOCKOUT:
        if len(state.entrants) < 2:
            return list(state.entrants)
        return brackets.places(bracket_of(state), state.entrants, winners(state))
    seeding = {one: index for index, one in enumerate(state.entrants)}
    rows = [row for group in standings(state).values() for row in group]
    rows.sort(key=lambda row: (row.place, -row.points / max(1, row.played), seeding[row.entrant]))
    return [row.entrant for row in rows]


def advancing(state: State) -> list[int]:
    """Who advances, in the order of the next stage's seeding.

    Of groups: the winners in the order of the groups, then the seconds, turned by half so that nobody soon meets
    an entrant of the same group in a knockout.
    """
    if state.stage.form != Form.GROUPS:
        return _going_on(state, ranking(state))
    groups = [_going_on(state, [row.entrant for row in rows]) for rows in standings(state).values()]
    found: list[int] = []
    for place in range(max(map(len, groups), default=0)):
        there = [group[place] for group in groups if place < len(group)]
        turn = len(there) // 2 if place % 2 else 0
        found += there[::-1][turn:] + there[::-1][:turn] if place % 2 else there
    return found


def _going_on(state: State, ranked: Sequence[int]) -> list[int]:
    """As many of those who may take a prize as the stage lets advance, and the others ahead of the last of them, who
    take nobody's place. Where there are fewer of the former, the best of the latter fill up. Nobody who has left.
    """
    most, there = state.stage.advance, [one for one in ranked if one not in state.left]
    first = [one for one in there if state.matters(one)][:most]
    others = [one for one in there if not state.matters(one)]
    ahead = there[: there.index(first[-1])] if first and len(first) == most else ()
    chosen = {*first, *ahead, *others[: most - len(first)]}
    return [one for one in there if one in chosen]


def final_ranking(states: Sequence[State], out: Collection[int]) -> list[int]:
    """All entrants of a final, the best first. Who came into a later stage is before those who did not.

    `out`: who was disqualified; they are last, whatever they had won by then.
    """
    found: list[int] = []
    for state in reversed(states):
        found += [one for one in ranking(state) if one not in set(found)]
    return [one for one in found if one not in out] + [one for one in found if one in out]


def prize_places(ranking: Sequence[int], outside: Collection[int]) -> dict[int, int]:
    """Entrant -> its place among those that may take a prize, from 1. `ranking`: all of them, the best first."""
    return {one: place for place, one in enumerate((one for one in ranking if one not in outside), start=1)}


# --- Checking and estimating ------------------------------------------------------------------------------------------


def check(stages: Sequence[Stage], *, sizes: Sequence[int], team_seats: int = 1) -> None:
    """`sizes`: how many entrants a match of the game may have. `team_seats`: of one of its teams.

    Raises: BadStage, if the stages cannot be played one after the other, or not in this game.
    """
    if not 1 <= len(stages) <= MOST_STAGES:
        raise BadStage("A final has stages.", f"1 to {MOST_STAGES}", str(len(stages)))
    for index, stage in enumerate(stages):
        _check_one(stage, last=index == len(stages) - 1)
        _check_size(stage, sizes)
        if stage.mixed and (stage.form != Form.HEATS or team_seats == 1):
            got = f"a stage of {stage.form.value}" if stage.form != Form.HEATS else "a game without teams"
            raise BadStage("There are no mixed teams here.", "mixed only in heats of a game with teams", got)


def _check_size(stage: Stage, sizes: Sequence[int]) -> None:
    got = "a game for " + ", ".join(str(one) for one in sorted(sizes))
    if stage.form != Form.HEATS:
        if 2 not in sizes:
            raise BadStage(
                f"This game needs more than two bots, so it has no {stage.form.value}.", "heats, or a game for two", got
            )
    elif max(sizes) < 3 or not set(range(2, max(sizes))) <= set(sizes):
        expected = "a game that two, three and more can play, without a gap"
        raise BadStage("There are no heats in this game.", expected, got)


def _check_one(stage: Stage, *, last: bool) -> None:
    limits = {"seeds": (1, 50), "groups": (1, 64), "rounds": (0, 30), "best_of": (1, 99), "lives": (1, 2)}
    limits["games"] = (1, 96)
    for name, (least, highest) in limits.items():
        value = getattr(stage, name)
        if not least <= value <= highest:
            raise BadStage(f"{name} is out of range.", f"{least} to {highest}", str(value))
    if stage.third_place and stage.lives == 2:
        expected = "either of them: in a double elimination the third place follows from the bracket"
        raise BadStage("third_place and two lives do not go together.", expected, "both")
    if stage.form == Form.SWISS and not stage.rounds:
        raise BadStage("A Swiss stage has rounds.", "rounds of 1 to 30", "0")
    if stage.form == Form.LADDER and not stage.rounds:
        raise BadStage("A ladder that is played on has rounds.", "rounds of 1 to 30", "0")
    if stage.form == Form.HEATS and not stage.rounds:
        raise BadStage("A stage of heats has rounds.", "rounds of 1 to 30", "0")
    groups = stage.groups if stage.form == Form.GROUPS else 1
    if not last and stage.advance * groups < 2:
        raise BadStage(
            "A stage that is not the last one lets some advance.", "2 or more who advance", str(stage.advance)
        )
    if stage.form == Form.GROUPS and stage.groups < 2:
        raise BadStage("One group is a round robin.", "2 groups or more", str(stage.groups))


def most_games(
    stages: Sequence[Stage],
    entrants: int,
    *,
    paired: bool,
    prizes: int = 0,
    in_heat: int = 2,
    team_seats: int = 1,
    outside: int = 0,
) -> list[int]:
    """Games of each stage at most, without those that break ties. `in_heat`, `team_seats`: see `heats.most`.
    `outside`: how many of the entrants are outside the prizes; all of them may advance besides the others.

    Raises: TooLong.
    """
    found = []
    for index, stage in enumerate(stages):
        places = prizes if index == len(stages) - 1 else stage.advance
        pairings = _count_pairings(stage, entrants, places, heats.most(stage, in_heat, team_seats))
        if entrants > MOST_ENTRANTS or pairings > MOST_PAIRINGS:
            raise TooLong("This is too much.", LIMITS, f"{pairings:,} of {entrants:,}")
        found.append(pairings * games.planned(stage, paired=paired))
        groups = min(stage.groups, entrants) if stage.form == Form.GROUPS else 1
        besides = outside if entrants - outside >= stage.advance else 0
        entrants = min(entrants, stage.advance * groups + besides)
    return found


def _count_pairings(stage: Stage, entrants: int, places: int, in_heat: int) -> int:
    """Pairings or heats. `places`: how many of the first ones matter."""
    if entrants < 2:
        return 0
    if stage.form == Form.HEATS:
        return stage.rounds * -(-entrants // in_heat)
    if stage.form == Form.LADDER:
        return stage.rounds * min(entrants // 2, places)
    if stage.form == Form.KNOCKOUT:
        if stage.lives == 2:
            return 2 * entrants - 1
        return entrants - 1 + (stage.third_place and entrants > 3)
    if stage.form == Form.SWISS:
        return stage.rounds * (entrants // 2)
    state = State(stage, tuple(range(entrants)), (), {}, paired=False)
    return sum(len(group) * (len(group) - 1) // 2 for group in members(state).values())
