"""The rulebook of Conway's Battlegrounds, on small boards."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from hexarena.games.battlegrounds import rules
from hexarena.games.battlegrounds.board import GLIDER, HEADINGS, live_places, turned
from hexarena.games.battlegrounds.life import Board, generation, is_alive, kill, revive
from hexarena.games.battlegrounds.state import NO_MOVE, PARACHUTE_CALLS, Move, State, Zone
from hexarena.games.battlegrounds.turn import FIRST_GLIDER, LATER_GLIDERS
from hexarena.games.contract import BadReply, BotFault, Crashed, IllegalMove, Outcome, TimedOut, TooMuchOutput
from tests.games.battlegrounds.pictures import after, assert_shows, hp_of, picture, position

SMALL = 30


def empty(size: int, **bots: tuple[int, int]) -> str:
    """A dead board with bots on it."""
    rows = [["."] * size for _ in range(size)]
    for letter, (x, y) in bots.items():
        rows[y][x] = letter
    return "\n".join("".join(row) for row in rows)


# --- Actions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "x", "y"),
    [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 1, 2), (6, 3, 2), (7, 1, 3), (8, 2, 3), (9, 3, 3)],
)
def test_a_positive_number_moves_and_a_negative_one_revives(direction: int, x: int, y: int) -> None:
    state = position(empty(5, a=(2, 2)), phase="start")
    assert_shows(after(state, a=(direction,)), empty(5, a=(x, y)))
    rows = empty(5, a=(2, 2)).split()
    rows[y] = rows[y][:x] + "#" + rows[y][x + 1 :]
    assert_shows(after(state, a=(-direction,)), "\n".join(rows))


def test_bots_step_over_the_edge() -> None:
    state = position(empty(5, a=(0, 0)), phase="start")
    assert_shows(after(state, a=(1,)), empty(5, a=(4, 4)))


def test_the_cell_that_a_bot_leaves_is_dead_and_the_one_that_it_steps_on_is_gone() -> None:
    state = position("..... ..... .a#.. ..... .....", phase="start")
    assert_shows(after(state, a=(6,)), "..... ..... ..a.. ..... .....")
    assert_shows(after(state, a=(6, 6)), "..... ..... ...a. ..... .....")


@pytest.mark.parametrize("nothing", [0, 5, -5])
def test_nothing_uses_up_an_action_but_does_nothing(nothing: int) -> None:
    state = position(empty(5, a=(2, 2)), phase="start")
    moved = after(state, a=(nothing, 6, nothing))
    assert_shows(moved, empty(5, a=(3, 2)))
    assert moved.events.acted == ((0, (0, 6)),)


def test_bots_are_in_the_way_and_only_dead_cells_are_revived() -> None:
    state = position("..... ..... .ae.. .#... .....", phase="start")
    unchanged = after(state, a=(6, -6, -8))
    assert picture(unchanged) == picture(state)
    assert unchanged.events.acted == ()


def test_everyone_does_a_first_action_before_anyone_does_a_second() -> None:
    """Whoever is first, `a` is gone when `e` takes its second step."""
    for seed in range(8):
        state = position("....... ....... .ea.... ....... ....... ....... .......", phase="start", seed=seed)
        moved = after(state, a=(9,), e=(5, 6))
        assert_shows(moved, "....... ....... ..e.... ...a... ....... ....... .......")


def test_the_order_within_a_round_is_drawn_anew_each_turn() -> None:
    """Both want the same cell; each gets it sometimes."""
    contested = "....... ....... .a.e... ....... ....... ....... ......."
    winners = {picture(after(position(contested, phase="start", seed=seed), a=(6,), e=(4,))) for seed in range(20)}
    assert len(winners) == 2
    by_turn = {picture(after(position(contested, number=turn, seed=1), a=(6,), e=(4,))) for turn in range(20)}
    assert len(by_turn) > 1


def test_in_the_starting_phase_nothing_lives_or_dies() -> None:
    state = position("..... .###. ..a.. ..... .....", phase="start")
    assert picture(after(state)) == picture(state)
    assert after(state).hp == state.hp


# --- One generation ---------------------------------------------------------------------------------------------------


def test_bots_count_as_live_cells() -> None:
    """A bot in the middle of a blinker lives on, and the blinker turns."""
    state = position("..... ..... .#a#. ..... .....")
    assert_shows(after(state), "..... ..#.. ..a.. ..#.. .....")


def test_actions_come_before_the_generation() -> None:
    state = position("..... ..... .#a.. ..... .....")
    assert_shows(after(state, a=(-6,)), "..... ..#.. ..a.. ..#.. .....")


def test_a_lonely_bot_loses_hp_and_stays() -> None:
    state = position(empty(5, a=(2, 2)))
    lonely = after(state)
    assert hp_of(lonely, "a") == 3
    assert lonely.events.hurt == (0,)
    assert picture(lonely) == picture(state)


def test_a_crowded_bot_without_a_birth_beside_it_loses_hp() -> None:
    crowded = after(position("....... ....... ..###.. ..#a#.. ..###.. ....... ......."))
    assert hp_of(crowded, "a") == 3


def test_a_bot_without_hp_dies_and_leaves_a_dead_cell() -> None:
    dead = after(position(empty(5, a=(2, 2)), hp={"a": 1}))
    assert_shows(dead, empty(5))
    assert hp_of(dead, "a") == 0
    assert dead.gone[0] == dead.turn
    assert dead.places[0] is None


@pytest.mark.parametrize("hp", [1, 2, 3, 4])
def test_three_neighbours_heal_if_one_is_a_teammate_up_to_three(hp: int) -> None:
    healed = after(position("..... .ab.. .##.. ..... .....", hp={"a": hp, "b": hp}))
    assert [hp_of(healed, letter) for letter in "ab"] == [max(hp, min(hp + 1, 3))] * 2


@pytest.mark.parametrize("block", ["..... .a#.. .##.. ..... .....", "..... .ae.. .##.. ..... ....."])
def test_three_neighbours_without_a_teammate_do_not_heal(block: str) -> None:
    assert hp_of(after(position(block, hp={"a": 2})), "a") == 2


def test_two_neighbours_neither_heal_nor_hurt() -> None:
    assert hp_of(after(position("..... ..... .bac. ..... .....", hp={"a": 2})), "a") == 2


def test_a_single_birth_beside_a_bot_in_need_carries_it_there() -> None:
    carried = after(position("....... .#.#... ....... ..a.... ....... ....... ......."))
    assert_shows(carried, "....... ....... ..a.... ....... ....... ....... .......")
    assert hp_of(carried, "a") == 4
    assert carried.events.carried == ((0, carried.plan.cell(2, 2)),)


def test_two_births_beside_a_bot_in_need_save_it_where_it_is() -> None:
    saved = after(position("....... ..#.#.. ....... ...a... ....... ..#.#.. ......."))
    assert_shows(saved, "....... ....... ...#... ...a... ...#... ....... .......")
    assert hp_of(saved, "a") == 4


def test_a_birth_does_not_carry_a_bot_with_two_or_three_neighbours() -> None:
    """Every cell beside the middle of a block's edge would be born."""
    stays = after(position("..... ..... .#a#. ..... ....."))
    assert stays.places[0] == stays.plan.cell(2, 2)


def test_of_two_bots_that_would_be_carried_to_one_cell_the_first_in_order_is() -> None:
    wanted = "....... ....... ...#... ....... ..a.e.. ....... ......."
    outcomes = {}
    for seed in range(20):
        state = after(position(wanted, seed=seed))
        outcomes[picture(state)] = state
        assert state.hp[0] == state.hp[4] == 4, "the other one stays, unharmed"
    assert sorted(outcomes) == sorted(
        "\n".join(rows.split())
        for rows in (
            "....... ....... ....... ...a... ....e.. ....... .......",
            "....... ....... ....... ...e... ..a.... ....... .......",
        )
    )


# --- The red zone -----------------------------------------------------------------------------------------------------


def in_zone(number: int, *, picture: str = "", seed: int = 3) -> State:
    """The state before the main turn with this number, with two bots far from everything."""
    return position(picture or empty(SMALL, a=(0, 0), e=(2, 29)), number=number, seed=seed)


def test_the_zone_starts_every_hundred_generations_and_lasts_ten_turns() -> None:
    ages = {}
    state = in_zone(0)
    for number in range(330):
        state = replace(after(state), hp=(4,) * 8)
        if state.zone is not None:
            ages[number + 1] = state.zone.age
    assert ages == {100 * zone + age: age for zone in (1, 2, 3) for age in range(10)}


def gliders(seed: int) -> list[tuple[int, int, int]]:
    """The gliders that a zone spawns: heading, and columns and rows from its middle, in the order of its turns.

    Looked at on a board that is swept after each turn; on others, some of their cells may be alive already.
    """
    state = in_zone(99, seed=seed)
    swept, found = state.cells, []
    for age in range(10):
        state = replace(after(state), hp=(4,) * 8, cells=swept)
        assert state.zone is not None
        if age % 2:
            assert state.events.born == ()
            continue
        x, y = state.plan.place(state.zone.middle)
        where = {
            frozenset(
                state.plan.cell(x + right - 1 + column, y + down - 1 + row) for column, row in live_places(shape)
            ): (
                heading,
                right,
                down,
            )
            for heading, shape in enumerate(turned(GLIDER, quarters) for quarters in range(4))
            for right in range(-12, 13)
            for down in range(-12, 13)
        }
        found.append(where[frozenset(state.events.born)])
    assert after(state).zone is None
    return found


@pytest.mark.long
def test_every_second_turn_a_glider_begins_apart_from_the_others() -> None:
    first, orders = set(), set()
    for seed in range(60):
        (heading, *away), *later = gliders(seed)
        assert tuple(away) == tuple(9 * step for step in HEADINGS[heading])
        first.add(heading)
        for heading, *away in later:
            assert tuple(away) == tuple(3 * step for step in HEADINGS[heading])
        orders.add(tuple(heading for heading, *_ in later))
    assert first == {0, 1, 2, 3}
    assert orders <= set(permutations(range(4)))
    assert len(orders) > 12


def test_a_glider_goes_where_its_heading_says() -> None:
    for quarters, (right, down) in enumerate(HEADINGS):
        cells = bytearray(50)
        for x, y in live_places(turned(GLIDER, quarters)):
            revive(cells, (8 + y) * 20 + 8 + x)
        moved = cells
        for _ in range(4):
            moved = generation(moved, 20)
        assert alive(moved, 20) == {(x + right, y + down) for x, y in alive(cells, 20)}


def alive(cells: Board, size: int) -> set[tuple[int, int]]:
    """Columns and rows of living cells."""
    return {(place % size, place // size) for place in range(size * size) if is_alive(cells, place)}


def test_on_an_empty_board_all_five_gliders_leave_the_zone_whatever_is_drawn() -> None:
    """All 96 draws, on a board without bots: the cells that each glider adds, and a generation a turn."""
    size, middle = 80, 40
    for first in range(4):
        for order in permutations(range(4)):
            begins = {0: (first, FIRST_GLIDER)} | {2 * turn + 2: (one, LATER_GLIDERS) for turn, one in enumerate(order)}
            cells = bytearray(size * size // 8)
            for turn in range(60):
                cells = generation(cells, size)
                if turn in begins:
                    heading, away = begins[turn]
                    right, down = HEADINGS[heading]
                    for x, y in live_places(turned(GLIDER, heading)):
                        revive(cells, (middle + away * down - 1 + y) * size + middle + away * right - 1 + x)
            left = alive(cells, size)
            assert len(left) == 5 * 5
            assert all(max(abs(x - middle), abs(y - middle)) > 12 for x, y in left)


def test_the_zone_is_where_most_cells_are_dead() -> None:
    """Still lifes everywhere but in one place: the window that holds none of them is found."""
    size = 40
    rows = [["."] * size for _ in range(size)]
    for x, y in ((1, 1), (1, 28), (28, 1), (28, 28), (15, 0), (0, 15)):
        for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
            rows[y + down][x + right] = "#"
    rows[38][38], rows[36][38] = "a", "e"
    state = after(position("\n".join(map("".join, rows)), number=99))
    assert state.zone is not None
    before = set(state.events.born)
    counts = {}
    for middle in range(size * size):
        x, y = state.plan.place(middle)
        window = [state.plan.cell(x + right, y + down) for right in range(-12, 13) for down in range(-12, 13)]
        counts[middle] = sum(is_alive(state.cells, cell) and cell not in before for cell in window)
    assert counts[state.zone.middle] == min(counts.values())


def test_a_bot_in_the_way_of_a_glider_is_left_alone() -> None:
    free = after(in_zone(99))
    assert free.zone is not None
    state = in_zone(101)
    state = replace(state, zone=Zone(free.zone.middle, 1))
    in_the_way = free.events.born[0]
    # It would be carried, killed or moved by nothing: it is alone.
    blocked = after(replace(state, places=(in_the_way, *state.places[1:]), cells=_moved(state, in_the_way)))
    assert blocked.places[0] == in_the_way
    assert in_the_way not in blocked.events.born
    assert is_alive(blocked.cells, in_the_way)


def _moved(state: State, target: int) -> bytes:
    cells = bytearray(state.cells)
    assert state.places[0] is not None
    kill(cells, state.places[0])
    revive(cells, target)
    return bytes(cells)


# --- Phases -----------------------------------------------------------------------------------------------------------


def opening(seats: int = 8, *, seed: int = 5, main_turns: int = 40) -> State:
    return rules.setup(seats, seed, 1, size=SMALL, start_turns=2, main_turns=main_turns)


def played(state: State, *, turns: int, move: Move = NO_MOVE, faults: dict[int, BotFault] | None = None) -> State:
    """Everybody does the same for some turns; `faults` happen in the first of them."""
    failed = faults or {}
    for _ in range(turns):
        moves = {seat: move for seat in rules.to_act(state) if seat not in failed}
        state, failed = rules.step(state, moves, failed), {}
    return state


def landed(seats: int = 8, *, seed: int = 5, aim: tuple[int, int] = (10, 12)) -> State:
    return played(opening(seats, seed=seed), turns=1 + PARACHUTE_CALLS, move=Move(aim=aim))


def test_bots_land_in_a_square_of_nine_around_their_choice_and_never_on_each_other() -> None:
    places = set()
    for seed in range(12):
        state = landed(64, seed=seed, aim=(1, 29))
        cells = [cell for cell in state.places if cell is not None]
        assert len(set(cells)) == 64
        places |= {state.plan.place(cell) for cell in cells}
    assert places == {(x % SMALL, y % SMALL) for x in range(-3, 6) for y in range(25, 34)}


def test_the_last_choice_counts_and_none_withdraws_it() -> None:
    state = played(opening(), turns=PARACHUTE_CALLS, move=Move(aim=(3, 3)))
    assert state.aims == ((3, 3),) * 8
    moves = {seat: Move(aim=(20, 20)) for seat in range(8)}
    moved = rules.step(state, {**moves, 7: Move()}, {})
    assert all(cell is not None and moved.plan.place(cell)[0] >= 16 for cell in moved.places[:7])
    assert moved.places[7] is None
    assert moved.gone[7] == moved.turn
    assert moved.events.removed == ((7, "did not return a position in its tenth call of parachute"),)


def test_a_fault_leaves_the_choice_but_does_not_count_as_the_tenth() -> None:
    bad = {0: IllegalMove("expected '<x> <y>' or 'none', got 'here'")}
    state = played(opening(), turns=2, move=Move(aim=(3, 3)))
    assert rules.step(state, {}, bad).aims[0] == (3, 3)
    last = played(state, turns=PARACHUTE_CALLS - 2, move=Move(aim=(3, 3)))
    without = rules.step(last, {seat: Move(aim=(3, 3)) for seat in range(1, 8)}, bad)
    assert without.places[0] is None
    assert without.gone[0] is not None


def test_ten_calls_then_the_starting_phase_then_the_main_phase() -> None:
    state = opening()
    phases: list[tuple[str, int]] = []
    while rules.to_act(state) and len(phases) < 18:
        phase, number = state.plan.phase(state.turn)
        phases.append((phase.value, number))
        state = replace(played(state, turns=1, move=Move(aim=(9, 9))), hp=(4,) * 8)
    assert phases == [
        ("init", 0),
        *(("parachute", call) for call in range(10)),
        ("start", 0),
        ("start", 1),
        *(("main", turn) for turn in range(5)),
    ]


# --- Faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0, 4, 10, 11, 14])
@pytest.mark.parametrize("fault", [TimedOut, Crashed, TooMuchOutput])
def test_a_bot_whose_channel_fails_is_removed_at_once(turn: int, fault: type[BotFault]) -> None:
    state = played(opening(), turns=turn, move=Move(aim=(9, 9)))
    failed = played(state, turns=1, move=Move(aim=(9, 9)), faults={2: fault("expected a line")})
    assert failed.gone[2] == turn + 1
    assert failed.places[2] is None
    assert 2 not in rules.to_act(failed)
    (note,) = rules.notes(failed)
    assert (note.seat, note.kind) == (2, "fault")


def test_the_cell_of_a_removed_bot_is_dead_before_anybody_acts() -> None:
    state = position("..... ..... .ae.. ..... .....", phase="start")
    assert_shows(after(state, {4: TimedOut("late")}, a=(6,)), "..... ..... ..a.. ..... .....")


def test_who_breaks_the_protocol_is_out() -> None:
    state = position("..... ..... .a.e. ..... .....")
    broken = after(state, {0: BadReply("expected actions, got 'hello'")})
    assert_shows(broken, "..... ..... ...e. ..... .....")
    (note,) = rules.notes(broken)
    assert (note.seat, note.kind, note.message) == (0, "fault", "removed: broke the protocol")


def test_a_fault_only_does_nothing() -> None:
    state = position("..... ..... .a.e. ..... .....")
    ignored = after(state, {0: IllegalMove("expected actions")}, e=(-2,))
    assert ignored == replace(after(state, e=(-2,)), events=replace(ignored.events, ignored=((0, "expected actions"),)))
    (note,) = rules.notes(ignored)
    assert (note.seat, note.kind, note.message) == (0, "warning", "expected actions")


# --- The end ----------------------------------------------------------------------------------------------------------


def test_the_last_team_that_is_left_wins() -> None:
    state = position(empty(9, a=(1, 1), e=(5, 5)), hp={"a": 2, "e": 1})
    assert rules.outcome(state) is None
    over = after(state)
    assert rules.outcome(over) == Outcome(
        (0, 0, 0, 0, 1, 1, 1, 1), (3, 0, 0, 0, 3, 0, 0, 0), "team 0 outlived all others"
    )
    assert rules.to_act(over) == ()


def test_teams_that_go_out_in_one_turn_tie() -> None:
    over = after(position(empty(9, a=(1, 1), e=(5, 5)), hp={"a": 1, "e": 1}))
    result = rules.outcome(over)
    assert result is not None
    assert result.ranks == (0,) * 8
    assert result.reason == "no team is left"


def test_a_team_that_goes_out_later_ranks_higher() -> None:
    state = opening(16)
    late = {seat: TimedOut("late") for seat in range(16)}
    state = played(state, turns=1, faults={seat: late[seat] for seat in range(4, 8)})
    state = played(state, turns=1, faults={seat: late[seat] for seat in (0, 1, 2, 12, 13, 14, 15)})
    assert rules.outcome(state) is None
    over = played(state, turns=1, faults={3: late[3], 8: late[8]})
    result = rules.outcome(over)
    assert result is not None
    assert result.ranks == tuple(place for place in (1, 3, 0, 2) for _ in range(4))
    assert result.reason == "team 2 outlived all others"


@pytest.mark.parametrize(
    ("bots", "hp", "ranks"),
    [
        ({"a": (1, 1), "b": (5, 5), "e": (1, 5)}, {"a": 2, "b": 2}, (0, 1)),
        ({"a": (1, 1), "e": (5, 5)}, {"a": 3}, (1, 0)),
        ({"a": (1, 1), "e": (5, 5)}, {}, (0, 0)),
        ({"a": (1, 1), "b": (1, 5), "e": (5, 5), "f": (5, 1)}, {"a": 4, "b": 2, "e": 3, "f": 3}, (0, 0)),
    ],
)
def test_at_the_last_turn_bots_count_then_hp(
    bots: dict[str, tuple[int, int]], hp: dict[str, int], ranks: tuple[int, int]
) -> None:
    over = after(position(empty(9, **bots), hp=hp, number=19, main_turns=20))
    result = rules.outcome(over)
    assert result is not None
    assert result.ranks[::4] == ranks
    assert result.reason == "20 main turns played"


# --- Seats and options ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entrants", range(2, 65))
def test_every_entrant_plays_for_one_team_and_teams_are_filled_with_their_own(entrants: int) -> None:
    dealt = rules.deal(entrants, 77)
    teams = [dealt[first : first + 4] for first in range(0, len(dealt), 4)]
    assert len(teams) == max(2, -(-entrants // 4))
    assert sorted(entrant for team in teams for entrant in set(team)) == list(range(entrants)), "one team each"
    sizes = [len(set(team)) for team in teams]
    assert max(sizes) - min(sizes) <= 1
    for team in teams:
        members = list(dict.fromkeys(team))
        assert team == tuple((members * 4)[:4])


def test_the_deal_depends_on_the_seed_alone() -> None:
    assert rules.deal(7, 5) == rules.deal(7, 5)
    assert len({rules.deal(7, seed) for seed in range(20)}) > 10


@pytest.mark.parametrize("seats", [0, 4, 6, 10, 68])
def test_seats_come_in_teams_of_four(seats: int) -> None:
    with pytest.raises(ValueError, match=f"got {seats}"):
        rules.setup(seats, 1, 1)


@pytest.mark.parametrize(
    "options", [{"size": 24}, {"size": 501}, {"start_turns": -1}, {"start_turns": 26}, {"main_turns": 0}]
)
def test_options_have_ranges(options: dict[str, int]) -> None:
    ((name, value),) = options.items()
    with pytest.raises(ValueError, match=rf"expected {name} from \d+ to \d+; got {value}"):
        rules.setup(8, 1, 1, **options)


def test_the_least_of_each_option_is_played_and_seeds_have_boards_of_their_own() -> None:
    least = rules.setup(8, 1, 1, size=25, start_turns=0, main_turns=1)
    assert (least.plan.size, least.plan.start_turns, least.plan.main_turns) == (25, 0, 1)
    assert opening(seed=5).cells == opening(seed=5).cells != opening(seed=6).cells


# --- Whatever happens -------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**32))
def test_hp_stays_in_its_range_and_every_bot_has_a_live_cell_of_its_own(seed: int, choices: int) -> None:
    state, chance = opening(seed=seed), Random(choices)
    while rules.to_act(state):
        moves = {seat: _any_move(chance) for seat in rules.to_act(state)}
        state = rules.step(state, moves, {})
        places = [cell for cell in state.places if cell is not None]
        assert len(set(places)) == len(places)
        assert all(is_alive(state.cells, cell) for cell in places)
        assert all(0 <= hp <= 4 for hp in state.hp)
        if state.turn > PARACHUTE_CALLS:
            on_board = [cell is not None for cell in state.places]
            assert on_board == [gone is None for gone in state.gone]
            assert all(hp > 0 for hp, here in zip(state.hp, on_board, strict=True) if here)


def _any_move(chance: Random) -> Move:
    actions = tuple(chance.randint(-9, 9) for _ in range(chance.randint(0, 3)))
    return Move(aim=(chance.randrange(12), chance.randrange(12)), actions=actions, chat=chance.choice(["", "1"]))


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(8)), st.integers(0, 2**32))
def test_the_order_in_which_replies_come_does_not_matter(order: list[int], choices: int) -> None:
    chance = Random(choices)
    state = landed(aim=(10, 10))
    for _ in range(6):
        moves = {seat: _any_move(chance) for seat in rules.to_act(state)}
        faults: dict[int, BotFault] = {seat: IllegalMove("nonsense") for seat in sorted(moves)[:2]}
        for seat in faults:
            del moves[seat]
        shuffled = {seat: moves[seat] for seat in order if seat in moves}
        backwards = dict(reversed(faults.items()))
        state, again = rules.step(state, moves, faults), rules.step(state, shuffled, backwards)
        assert again == state
