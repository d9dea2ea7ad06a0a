"""The duel's statistics: against closed forms, against the conditions of a maximum, and against their promises."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from hexarena.backend.rating.elo import expected_score
from hexarena.backend.rating.sprt import (
    FEW,
    LEAST_GAMES,
    QUESTIONS,
    Estimate,
    Preset,
    Question,
    deviation,
    elo_of,
    estimate,
    in_words,
    interval,
    log_likelihood,
    no_trials,
    only_repeats,
    points,
    progress,
    repeats_in_words,
    scores,
    trial_seats,
    verdict,
    with_trial,
)

ELO = math.log(10) / 400
DECIDED = QUESTIONS["normal"].decided
AT_ONCE, LOOKS, BISECTIONS = 32, 8, 40
"""Of simulated duels: trials that are looked at together, of how many the real test sees one, and exactness."""


def reached(llr: float) -> Estimate:
    """An open duel with this log-likelihood ratio."""
    return Estimate(0.5, 0.0, -10.0, 10.0, llr, "open")


def random_counts(random: Random) -> list[int]:
    """Trials with a random number of each result, often none."""
    results = random.choice([3, 5])
    return [random.choice([0, 0, 1, random.randrange(2, 30), random.randrange(2, 3000)]) for _ in range(results)]


# --- How far a duel is ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("llr", "games", "expected"),
    [
        (DECIDED / 2, 200, 0.5),
        (-DECIDED / 2, 200, 0.5),
        (DECIDED / 2, LEAST_GAMES // 4, 0.25),
        (0.0, 1500, 0.75),
        (DECIDED / 4, 1500, 0.75),
        (2 * DECIDED, 400, 1.0),
        (0.0, 0, 0.0),
    ],
)
def test_progress_is_towards_the_verdict_or_the_last_match_whichever_is_nearer(
    llr: float, games: int, expected: float
) -> None:
    assert progress(reached(llr), QUESTIONS["normal"], games, 2000) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("games", "different", "expected"),
    [
        (LEAST_GAMES, FEW, True),
        (LEAST_GAMES, 1, True),
        (LEAST_GAMES, FEW + 1, False),
        (LEAST_GAMES - 1, 1, False),
        (0, 0, False),
    ],
)
def test_bots_repeat_themselves_after_enough_games_of_which_few_are_different(
    games: int, different: int, expected: bool
) -> None:
    assert only_repeats(games, different) is expected


def test_the_sentence_about_repeats_counts_them() -> None:
    assert repeats_in_words(16, 1).startswith("These bots repeat themselves: 16 matches, but only 1 different one. ")
    assert repeats_in_words(18, 2).startswith("These bots repeat themselves: 18 matches, but only 2 different ones. ")


@pytest.mark.parametrize(
    ("counts", "score"), [((1, 0, 1), 0.5), ((0, 0, 2), 1.0), ((0, 1, 0, 0, 1), 0.625), ((3, 0, 1), 0.25)]
)
def test_the_score_is_the_share_of_the_points(counts: tuple[int, ...], score: float) -> None:
    assert estimate(counts, Question(40)).score == pytest.approx(score)


# --- Trials --------------------------------------------------------------------------------------------------------


def test_a_pair_has_both_seatings_and_a_single_match_takes_turns() -> None:
    assert [trial_seats(True, number) for number in range(3)] == [(False, True)] * 3
    assert [trial_seats(False, number) for number in range(4)] == [(False,), (True,), (False,), (True,)]


def test_trials_are_counted_by_what_the_first_bot_scored() -> None:
    pairs = no_trials(True)
    for scored in ([1, 1], [0.5, 1], [1, 0], [0, 1], [0.5, 0.5], [0, 0.5], [0, 0]):
        pairs = with_trial(pairs, scored)
    assert pairs == (1, 1, 3, 1, 1)
    singles = no_trials(False)
    for scored in ([1], [0.5], [1], [0]):
        singles = with_trial(singles, scored)
    assert singles == (1, 1, 2)
    assert [points(0, 1), points(1, 1), points(2, 0)] == [1.0, 0.5, 0.0]


# --- The likelihood -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wins", "losses"), [(1, 0), (0, 1), (30, 10), (7, 0), (0, 7), (500, 499)])
def test_without_draws_it_is_the_binomial_likelihood(wins: int, losses: int) -> None:
    for score in (0.1, 0.5, 0.5287, 0.93):
        best = sum(n * math.log(n / (wins + losses)) for n in (wins, losses) if n)
        expected = wins * math.log(score) + losses * math.log(1 - score) - best
        assert log_likelihood([losses, 0, wins], score) == pytest.approx(expected, abs=1e-9)
        assert log_likelihood([losses, 0, 0, 0, wins], score) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("losses", "draws", "wins"), [(10, 5, 20), (1, 30, 2), (200, 50, 210)])
def test_with_draws_the_share_of_draws_solves_a_quadratic_equation(losses: int, draws: int, wins: int) -> None:
    """With share d of draws, wins are s - d/2, losses 1 - s - d/2: d is where the likelihood's derivative is 0."""
    for score in (0.3, 0.5, 0.6):
        w, n = score, losses + draws + wins
        # draws/d = wins/(2w - d) + losses/(2(1-w) - d), multiplied out: n d² - b d + c = 0
        b = 2 * draws + 2 * wins * (1 - w) + 2 * losses * w
        d = (b - math.sqrt(b * b - 16 * n * draws * w * (1 - w))) / (2 * n)
        best = sum(count * math.log(count / n) for count in (losses, draws, wins))
        probabilities = (1 - w - d / 2, d, w - d / 2)
        fitted = sum(count * math.log(share) for count, share in zip((losses, draws, wins), probabilities, strict=True))
        assert log_likelihood([losses, draws, wins], score) == pytest.approx(fitted - best, abs=1e-9)


def test_no_other_distribution_of_the_same_mean_is_more_likely() -> None:
    """An upper bound for any multiplier and the value for a real distribution meet: the maximum lies between."""
    random = Random(20)
    for _ in range(300):
        counts = random_counts(random)
        if not any(counts):
            continue
        score = random.uniform(0.02, 0.98)
        found = log_likelihood(counts, score)
        for _ in range(20):
            other = _random_distribution(random, counts, score)
            best = sum(n * math.log(n / sum(counts)) for n in counts if n)
            likelihood = sum(n * math.log(share) for n, share in zip(counts, other, strict=True) if n)
            assert likelihood - best <= found + 1e-9
        assert found == pytest.approx(_by_golden_section(counts, score), abs=1e-6)


def _random_distribution(random: Random, counts: Sequence[int], score: float) -> list[float]:
    """Some distribution over the results whose mean is `score`: a random one, mixed with one of its ends."""
    last = len(counts) - 1
    shares = [random.expovariate(1) * (n + 0.5) for n in counts]
    total = sum(shares)
    shares = [share / total for share in shares]
    mean = sum(index / last * share for index, share in enumerate(shares))
    end = last if mean < score else 0
    weight = (score - mean) / (end / last - mean)
    return [(1 - weight) * share + weight * (index == end) for index, share in enumerate(shares)]


def _by_golden_section(counts: Sequence[int], score: float) -> float:
    """The same by the dual problem, which is a minimum in one unknown: found without derivatives."""
    last = len(counts) - 1
    low, high = -1 / (1 - score), 1 / score
    ratio = (math.sqrt(5) - 1) / 2

    def dual(at: float) -> float:
        terms = [(n, 1 + at * (index / last - score)) for index, n in enumerate(counts) if n]
        return math.inf if any(inner <= 0 for _, inner in terms) else -sum(n * math.log(inner) for n, inner in terms)

    for _ in range(120):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if dual(left) < dual(right) else (left, high)
    return dual((low + high) / 2)


def test_a_duel_and_its_mirror_image_agree() -> None:
    random = Random(4)
    for _ in range(100):
        counts = random_counts(random)
        score = random.uniform(0.05, 0.95)
        assert log_likelihood(counts, score) == pytest.approx(log_likelihood(counts[::-1], 1 - score), abs=1e-8)
        low, high = interval(counts)
        mirrored = interval(counts[::-1])
        assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-9)


def test_a_known_pentanomial_ratio() -> None:
    """Of 36,168 pairs, between 0.2 and 0.9 Elo. Source: computed with scipy's brentq on the same equations."""
    counts = (39, 2226, 31451, 2412, 40)
    found = log_likelihood(counts, expected_score(0.9, 0.0)) - log_likelihood(counts, expected_score(0.2, 0.0))
    assert found == pytest.approx(2.1625, abs=1e-3)


# --- Estimate and interval -------------------------------------------------------------------------------------------


def test_elo_is_the_inverse_of_the_expected_score() -> None:
    assert elo_of(0.5) == 0.0
    assert elo_of(expected_score(123.0, 0.0)) == pytest.approx(123.0)
    assert (elo_of(0.0), elo_of(1.0)) == (-math.inf, math.inf)


def test_the_interval_of_many_trials_is_the_normal_one() -> None:
    counts = (300, 600, 2000, 700, 400)
    trials = sum(counts)
    mean = sum(index / 4 * n for index, n in enumerate(counts)) / trials
    deviation = math.sqrt(sum(n * (index / 4 - mean) ** 2 for index, n in enumerate(counts)) / trials / trials)
    assert interval(counts) == pytest.approx((mean - 1.96 * deviation, mean + 1.96 * deviation), abs=2e-4)


def test_before_and_at_the_ends_nothing_breaks() -> None:
    for paired in (True, False):
        nothing = estimate(no_trials(paired), Question(40))
        assert (nothing.score, nothing.elo, nothing.llr, nothing.verdict) == (0.5, 0.0, 0.0, "open")
        assert (nothing.elo_low, nothing.elo_high) == (-math.inf, math.inf)
    won = estimate((0, 0, 0, 0, 30), Question(40))
    assert (won.elo, won.elo_high, won.verdict) == (math.inf, math.inf, "stronger")
    # Who wins each trial with this probability wins all 30 with probability exp(-1.92): that is how far 95 % reach.
    assert won.elo_low == pytest.approx(elo_of(math.exp(-1.9207 / 30)), abs=0.01)
    lost = estimate((30, 0, 0, 0, 0), Question(40))
    assert (lost.elo, lost.elo_low, lost.verdict) == (-math.inf, -math.inf, "not stronger")


@pytest.mark.long
def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    random, distribution = Random(11), _pair_distribution(25.0)
    interval_of = cache(interval)
    for trials in (20, 100):
        covered = 0
        for _ in range(400):
            low, high = interval_of(tuple(_play(random, distribution, trials)))
            covered += low <= _mean(distribution) <= high
        assert 0.92 <= covered / 400 <= 0.98


# --- Decisions -------------------------------------------------------------------------------------------------------


def test_nothing_is_decided_before_sixteen_games() -> None:
    for paired in (True, False):
        trials = LEAST_GAMES // (2 if paired else 1)
        for count, decided in ((trials - 1, False), (trials, True)):
            won = [*no_trials(paired)[:-1], count]
            assert (estimate(won, Question(400)).verdict != "open") is decided


@pytest.mark.long
@pytest.mark.parametrize(
    ("elo", "preset", "least_share", "right_one"),
    [
        # At 0 Elo "stronger" is wrong, at the margin "not stronger" is: each may happen in one duel of twenty.
        (0.0, "quick", 0.92, "not stronger"),
        (60.0, "quick", 0.92, "stronger"),
        (0.0, "normal", 0.92, "not stronger"),
        (40.0, "normal", 0.92, "stronger"),
        (80.0, "normal", 0.99, "stronger"),
        (-40.0, "normal", 0.99, "not stronger"),
        (40.0, "which", 0.92, "stronger"),
        (-40.0, "which", 0.92, "weaker"),
    ],
)
@pytest.mark.parametrize("paired", [True, False])
def test_duels_go_wrong_as_seldom_as_they_promise(
    elo: float, preset: Preset, least_share: float, right_one: str, paired: bool
) -> None:
    random = Random(f"{elo} {QUESTIONS[preset].margin_elo} {paired}")
    distribution = _pair_distribution(elo) if paired else _single_distribution(elo)
    duels = 150
    right = [verdict for verdict, _ in _duels(random, distribution, QUESTIONS[preset], duels)].count(right_one)
    assert right / duels >= least_share - 0.015


@pytest.mark.long
@pytest.mark.parametrize("preset", ["normal", "which"])
def test_draws_make_no_duel_longer(preset: Preset) -> None:
    """At the margin in normalized Elo; in Elo it is a third of that where nine of ten games are drawn."""
    lengths = []
    for draws in (0.0, 0.5, 0.9):
        distribution = _drawish(40.0, draws)
        lengths.append(np.mean([games for _, games in _duels(Random(7), distribution, QUESTIONS[preset], 300)]))
    assert max(lengths) < 1.25 * min(lengths)


def _drawish(normalized_elo: float, draws: float) -> list[float]:
    """Loss, draw, win with this share of draws, and a mean score this far from level in deviations."""
    gain = (expected_score(normalized_elo, 0.0) - 0.5) * math.sqrt(1 - draws)
    return [(1 - draws) / 2 - gain, draws, (1 - draws) / 2 + gain]


def test_without_draws_normalized_elo_is_elo() -> None:
    for counts in ((300, 0, 340), (10, 0, 0, 0, 1)):
        assert deviation(counts) == pytest.approx(0.5 * (1 if len(counts) == 3 else 2**0.5), rel=0.05)
    assert scores((400, 0, 400), Question(40)) == pytest.approx((0.5, expected_score(40, 0)))
    assert scores((400, 0, 400), Question(40, which=True)) == pytest.approx(
        (expected_score(-40, 0), expected_score(40, 0))
    )


def test_draws_bring_the_scores_of_the_hypotheses_together() -> None:
    """With nine draws of ten a game scatters by sqrt(1/10) of a coin's deviation."""
    level, better = scores((500, 9000, 500), Question(40))
    assert level == 0.5
    assert better - 0.5 == pytest.approx((expected_score(40, 0) - 0.5) * math.sqrt(0.1), rel=1e-3)


@pytest.mark.long
def test_whoever_only_asks_which_needs_fewer_games() -> None:
    distribution = _single_distribution(0.0)
    few, many = (
        np.mean([games for _, games in _duels(Random(5), distribution, QUESTIONS[preset], 200)])
        for preset in ("which", "normal")
    )
    assert few < 0.5 * many


def _duels(random: Random, distribution: Sequence[float], question: Question, count: int) -> list[tuple[str, int]]:
    """The verdicts and games of simulated duels without a cap.

    Where they end is found for many trials of all duels at once, by another method. There, just before, and at each
    `LOOKS`th trial the real test says the same.
    """
    ended, last = [("", 0)] * count, len(distribution) - 1
    running, before = np.arange(count), np.zeros((count, 1, last + 1), dtype=np.int64)
    while len(running):
        drawn = random.choices(range(last + 1), distribution, k=len(running) * AT_ONCE)
        results = np.array(drawn).reshape(len(running), AT_ONCE)
        after = before + np.cumsum(np.eye(last + 1, dtype=np.int64)[results], axis=1)
        enough = after.sum(axis=2) * (last // 2) >= LEAST_GAMES
        ends = enough & (abs(_ratios(after, question)) >= question.decided)
        for duel, ends_here, counts in zip(running, ends, after.tolist(), strict=True):
            end = int(ends_here.argmax()) if ends_here.any() else AT_ONCE
            for at in {*range(0, end, LOOKS), max(end - 1, 0)} - {end}:
                assert verdict(counts[at], question) == "open"
            if end < AT_ONCE:
                ended[duel] = verdict(counts[end], question), sum(counts[end]) * (last // 2)
        goes_on = ~ends.any(axis=1)
        running, before = running[goes_on], after[goes_on, -1:]
    return ended


def _ratios(counts: NDArray[np.int64], question: Question) -> NDArray[np.float64]:
    """The log-likelihood ratios of counts, which are the last axis, by bisection: without derivatives and ends."""
    steps, by_score = np.arange(counts.shape[-1]) / (counts.shape[-1] - 1), []
    squares = (counts * (steps - 0.5) ** 2).sum(axis=-1) * ((counts.shape[-1] - 1) // 2) + 2 * 0.25
    margin = (expected_score(question.margin_elo, 0.0) - 0.5) * 2 * np.sqrt(squares / (counts.sum(axis=-1) + 2))
    for score in (0.5 + margin, 0.5 - margin if question.which else np.full_like(margin, 0.5)):
        gains = steps - score[..., None]
        middle, width = (1 / score - 1 / (1 - score)) / 2, 1 / score + 1 / (1 - score)
        for halvings in range(2, BISECTIONS):
            rises = (counts * (gains / (1 + middle[..., None] * gains))).sum(axis=-1) > 0
            middle = middle + np.where(rises, width, -width) / 2**halvings
        by_score.append(-(counts * np.log1p(middle[..., None] * gains)).sum(axis=-1))
    return np.asarray(by_score[0] - by_score[1])


def _play(random: Random, distribution: Sequence[float], trials: int) -> list[int]:
    counts = [0] * len(distribution)
    for _, drawn in zip(range(trials), _draw(random, distribution), strict=False):
        counts[drawn] += 1
    return counts


def _draw(random: Random, distribution: Sequence[float]) -> Iterator[int]:
    while True:
        yield from random.choices(range(len(distribution)), distribution, k=100)


def _mean(distribution: Sequence[float]) -> float:
    return sum(index * share for index, share in enumerate(distribution)) / (len(distribution) - 1)


def _match(strength: float) -> tuple[float, float, float]:
    """Chances of loss, draw and win. Source: Davidson's model with 5 % of draws between equals."""
    win, draw, loss = math.exp(strength / 2), 2 * 0.05 / 0.95, math.exp(-strength / 2)
    total = win + draw + loss
    return loss / total, draw / total, win / total


def _single_distribution(elo: float) -> list[float]:
    """Of a match whose expected score is that of `elo`."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean(_match(middle)) < expected_score(elo, 0.0) else (low, middle)
    return list(_match(low))


def _pair_distribution(elo: float, *, first_seat_elo: float = 90.0) -> list[float]:
    """Of a pair of matches whose expected score is that of `elo`, where the first seat is worth a lot."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean(_pair(middle, first_seat_elo)) < expected_score(elo, 0.0) else (low, middle)
    return _pair(low, first_seat_elo)


def _pair(strength: float, first_seat_elo: float) -> list[float]:
    seat = first_seat_elo * ELO
    shares = [0.0] * 5
    for one, chance in enumerate(_match(strength + seat)):
        for two, other in enumerate(_match(strength - seat)):
            shares[one + two] += chance * other
    return shares


BARELY = (0, 185, 300, 150, 0)
"""Of trials."""


# --- Words -----------------------------------------------------------------------------------------------------------


def test_verdicts_are_sentences() -> None:
    assert 0 < estimate(BARELY, Question(60)).elo_high < 1, "weaker or equal, but not surely weaker"
    for counts, sentence in {
        (0, 0, 0, 0, 40): "New is stronger than Old.",
        (0, 0, 200, 0, 0): "New is not stronger than Old by 60 Elo.",
        (40, 0, 0, 0, 0): "New is not stronger than Old; the estimate says that it is weaker.",
        BARELY: "New is not stronger than Old by 60 Elo.",
        (1, 0, 0, 0, 1): "Not decided: New may be stronger than Old by 60 Elo, or not at all.",
        (0, 0, 0, 0, 8): "Not decided, though the estimate says that New is stronger than Old.",
        (8, 0, 0, 0, 0): "Not decided, though the estimate says that New is weaker than Old.",
    }.items():
        assert estimate(counts, Question(60)).verdict == verdict(counts, Question(60))
        assert in_words(estimate(counts, Question(60)), "New", "Old", Question(60)) == sentence


def test_the_question_which_is_answered_honestly() -> None:
    which = Question(60, which=True)
    for counts, found, sentence in (
        ((0, 16, 40, 28, 0), "stronger", "Choose New: Old is not stronger by 60 Elo. They may be equal."),
        ((0, 28, 40, 16, 0), "weaker", "Choose Old: New is not stronger by 60 Elo. They may be equal."),
        ((0, 0, 0, 0, 40), "stronger", "Choose New: Old is not stronger by 60 Elo."),
        ((40, 0, 0, 0, 0), "weaker", "Choose Old: New is not stronger by 60 Elo."),
        ((0, 0, 90, 0, 0), "open", "Not decided: New and Old are equal within 60 Elo; choose either."),
        ((9, 0, 0, 0, 9), "open", "Not decided: either of New and Old may be stronger by 60 Elo."),
        ((0, 1, 4, 5, 0), "open", "Not decided: either of New and Old may be stronger by 60 Elo."),
        ((0, 0, 2, 5, 0), "open", "Not decided, though the estimate says that New is stronger than Old."),
    ):
        reached = estimate(counts, which)
        assert (reached.verdict, in_words(reached, "New", "Old", which)) == (found, sentence)


def test_games_that_only_repeat_are_one_piece_of_evidence() -> None:
    for question in QUESTIONS.values():
        for once in ((1, 0, 0, 0, 0), (0, 0, 1), (1, 0, 1)):
            copies = tuple(16 * count for count in once)
            assert estimate(copies, question, repeats=True) == estimate(once, question)
            assert verdict(copies, question, repeats=True) == "open"
    assert verdict((0, 0, 16), QUESTIONS["which"]) == "stronger", "what sixteen different ones show"
    assert estimate((0, 0, 16), QUESTIONS["which"], repeats=True).elo_low < 0
    assert estimate((10, 0, 6), QUESTIONS["normal"], repeats=True).score == 6 / 16, "as it was played"
