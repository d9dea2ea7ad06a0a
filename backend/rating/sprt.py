"""Is one bot stronger than another? A sequential test on match results. Values in, values out.

Theory of operation: a trial is a pair of matches with the same seed and the seats swapped, or a single match where a
swapped one would only be its mirror image. Trials are counted by what the candidate scored in them. There are two
hypotheses, in normalized Elo: the candidate is not stronger (0), or it is stronger by a margin; or, where the question
is only which of the two to choose, it is stronger or weaker by the margin. Once either is 24 times as likely as the
other (for `which` 16 times), the duel is decided; each is then wrongly chosen in about one duel of twenty.

Normalized Elo measures a difference in deviations of a game's points, scaled so that it is Elo where nobody draws.
Draws bring scores closer together and scatter them less, in the same proportion, so a duel's length does not depend on
them.

Source: M. Van den Bergh, "Normalized Elo"; the generalised sequential probability ratio test, whose unknown parameters
are each hypothesis's most likely ones; M. Van den Bergh, "The Generalized Maximum Likelihood Ratio for the Expectation
Value of a Distribution".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hexarena.backend.rating.elo import ELO_PER_FACTOR_10, expected_score

Preset: TypeAlias = Literal["quick", "normal", "fine", "which"]
Verdict: TypeAlias = Literal["stronger", "not stronger", "weaker", "open"]
"""Of the candidate, compared with the baseline. "weaker" only answers which of the two is."""


@dataclass(frozen=True, slots=True)
class Question:
    """Is the candidate stronger by `margin_elo`, or not at all? `which`: is it stronger by that much, or weaker?

    In normalized Elo. Half the margin takes about four times as many games. `error_rate`: the probability of each kind
    of error, nearly: finding a difference where there is none, and missing one of the margin.
    """

    margin_elo: float
    which: bool = False
    error_rate: float = 0.04

    @property
    def decided(self) -> float:
        """The log-likelihood ratio that decides, with either sign."""
        return math.log((1 - self.error_rate) / self.error_rate)


QUESTIONS: dict[Preset, Question] = {
    "quick": Question(60.0),
    "normal": Question(40.0),
    "fine": Question(20.0),
    "which": Question(40.0, which=True, error_rate=0.06),
}
LEVEL_TRIALS = 2.0
"""How many trials of bots that never draw the estimate of a game's deviation begins with."""
COIN_DEVIATION = 0.5
"""Of the points of a game of equals that is never drawn."""
LEAST_GAMES = 16
"""The number of matches before which nothing is decided: 8 pairs."""
MOST_GAMES = 2000
FEW = 2
"""Different matches of bots that leave nothing to chance in a game that does so, too: one for each seating."""
LEVEL = 0.5
"""The score of bots that are equally strong."""
HALF_CHI2_95 = 3.841458820694124 / 2
"""How far the log-likelihood may fall within a 95 % interval."""
STEPS = 100
"""More than either search below ever takes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The state of a duel. `score`: the candidate's share of the points; `elo` and its 95 % interval follow from it,
    or from the different games alone, where the others only repeat them.

    They are infinite where every match was won or lost; before the first trial the interval is unbounded. It ignores
    that the duel stops when it is decided, which makes estimates a little too extreme.
    `llr`: log-likelihood ratio of the question's hypotheses, the better one for the candidate first; beyond
    ±question.decided it decides.
    """

    score: float
    elo: float
    elo_low: float
    elo_high: float
    llr: float
    verdict: Verdict


def trial_seats(paired: bool, number: int) -> tuple[bool, ...]:
    """The matches of a trial: whether the baseline has the first seat. `number`: of the trial, from 0."""
    return (False, True) if paired else (number % 2 == 1,)


def no_trials(paired: bool) -> tuple[int, ...]:
    """The counts before the first trial: how often the candidate scored 0, ½, 1 (and 1½, 2) points in a trial."""
    return (0,) * (5 if paired else 3)


def with_trial(counts: Sequence[int], points: Sequence[float]) -> tuple[int, ...]:
    """The counts after one more trial. `points`: of the candidate, 0, ½ or 1 in each of the trial's matches."""
    scored = round(2 * sum(points))
    return tuple(count + (half_points == scored) for half_points, count in enumerate(counts))


def points(rank: int, other_rank: int) -> float:
    """What a match is worth to a bot: a win 1, a draw ½."""
    return 0.5 if rank == other_rank else float(rank < other_rank)


def estimate(counts: Sequence[int], question: Question, *, repeats: bool = False) -> Estimate:
    """The estimate from the trials so far. `counts`: as `with_trial` makes them.

    `repeats`: these only repeat each other (`only_repeats`), so that all but the score counts each result once.
    """
    evidence = _once(counts) if repeats else counts
    low, high = interval(evidence)
    ratio = llr(evidence, question)
    reached = _verdict(evidence, question, ratio)
    return Estimate(_share(counts), elo_of(_share(evidence)), elo_of(low), elo_of(high), ratio, reached)


def verdict(counts: Sequence[int], question: Question, *, repeats: bool = False) -> Verdict:
    """The estimate's verdict alone, ten times as fast."""
    evidence = _once(counts) if repeats else counts
    return _verdict(evidence, question, llr(evidence, question))


def llr(counts: Sequence[int], question: Question) -> float:
    """The log-likelihood ratio of the question's two hypotheses."""
    worse, better = scores(counts, question)
    return log_likelihood(counts, better) - log_likelihood(counts, worse)


def scores(counts: Sequence[int], question: Question) -> tuple[float, float]:
    """The expected scores of the two hypotheses, the worse one for the candidate first, in 0..1."""
    gain = (expected_score(question.margin_elo, 0.0) - LEVEL) * deviation(counts) / COIN_DEVIATION
    return (LEVEL - gain if question.which else LEVEL), LEVEL + gain


def deviation(counts: Sequence[int]) -> float:
    """Of a game's points from those of equals, as far as the trials show it; a pair's results may go together."""
    last, games = len(counts) - 1, (len(counts) - 1) // 2
    squares = sum(count * (index / last - LEVEL) ** 2 for index, count in enumerate(counts)) * games
    return math.sqrt((squares + LEVEL_TRIALS * COIN_DEVIATION**2) / (sum(counts) + LEVEL_TRIALS))


def interval(counts: Sequence[int]) -> tuple[float, float]:
    """The 95 % interval of the expected score: all that the likelihood ratio test would not reject, in 0..1."""
    trials, last = sum(counts), len(counts) - 1
    if not trials:
        return 0.0, 1.0
    mean = sum(index * count for index, count in enumerate(counts)) / (last * trials)
    return _edge(counts, mean, 0.0), _edge(counts, mean, 1.0)


def log_likelihood(counts: Sequence[int], score: float) -> float:
    """Of the most likely distribution with this expected score (in 0..1, ends excluded), at most 0.

    Relative to the most likely distribution of all.
    """
    multiplier = _multiplier(counts, score)
    return -math.fsum(count * math.log1p(multiplier * gain) for count, gain in _gains(counts, score))


def elo_of(score: float) -> float:
    """The difference in strength for which this score is to be expected; infinite at 0 and 1."""
    if not 0.0 < score < 1.0:
        return math.copysign(math.inf, score - LEVEL)
    return ELO_PER_FACTOR_10 * math.log10(score / (1 - score))


def progress(reached: Estimate, question: Question, games: int, most_games: int) -> float:
    """How far a duel is, 0 to 1: towards a verdict or towards its last match, whichever is nearer."""
    decided = min(abs(reached.llr) / question.decided, games / LEAST_GAMES)
    return min(1.0, max(decided, games / most_games))


def only_repeats(games: int, different: int) -> bool:
    """Whether the bots repeat the same matches, so that more of them would show nothing new.

    `different`: matches that are no repetition of an earlier one.
    """
    return games >= LEAST_GAMES and different <= FEW


def repeats_in_words(games: int, different: int) -> str:
    """The sentence for people when `only_repeats` ends a duel."""
    return (
        f"These bots repeat themselves: {games} matches, but only {different} different "
        f"{'one' if different == 1 else 'ones'}. More of them would say nothing new."
    )


def in_words(reached: Estimate, candidate: str, baseline: str, question: Question) -> str:
    """A sentence for people. `candidate`, `baseline`: the bots' names."""
    margin = f"{question.margin_elo:g} Elo"
    if reached.verdict == "open" and (reached.elo_low > 0 or reached.elo_high < 0):
        found = "stronger" if reached.elo_low > 0 else "weaker"
        return f"Not decided, though the estimate says that {candidate} is {found} than {baseline}."
    if question.which:
        if (
            reached.verdict == "open"
            and -question.margin_elo < reached.elo_low <= reached.elo_high < question.margin_elo
        ):
            return f"Not decided: {candidate} and {baseline} are equal within {margin}; choose either."
        if reached.verdict == "open":
            return f"Not decided: either of {candidate} and {baseline} may be stronger by {margin}."
        pair = (candidate, baseline) if reached.verdict == "stronger" else (baseline, candidate)
        equal = " They may be equal." if reached.elo_low <= 0 <= reached.elo_high else ""
        return f"Choose {pair[0]}: {pair[1]} is not stronger by {margin}.{equal}"
    if reached.verdict == "stronger":
        return f"{candidate} is stronger than {baseline}."
    if reached.verdict == "open":
        return f"Not decided: {candidate} may be stronger than {baseline} by {margin}, or not at all."
    if reached.elo_high < 0:
        return f"{candidate} is not stronger than {baseline}; the estimate says that it is weaker."
    return f"{candidate} is not stronger than {baseline} by {margin}."


def _once(counts: Sequence[int]) -> tuple[int, ...]:
    """What trials that only repeat each other show: the same game again shows nothing."""
    return tuple(min(count, 1) for count in counts)


def _share(counts: Sequence[int]) -> float:
    """The candidate's share of the points, 0..1."""
    trials, last = sum(counts), len(counts) - 1
    return sum(index * count for index, count in enumerate(counts)) / (last * trials) if trials else LEVEL


def _verdict(counts: Sequence[int], question: Question, ratio: float) -> Verdict:
    games_of_trial = (len(counts) - 1) // 2
    if sum(counts) * games_of_trial < LEAST_GAMES or abs(ratio) < question.decided:
        return "open"
    if ratio > 0:
        return "stronger"
    return "weaker" if question.which else "not stronger"


def _gains(counts: Sequence[int], score: float) -> list[tuple[int, float]]:
    """(count, how far above `score`) of each result that occurred."""
    last = len(counts) - 1
    return [(count, index / last - score) for index, count in enumerate(counts) if count]


def _multiplier(counts: Sequence[int], score: float) -> float:
    """Lagrange's multiplier of the constraint on the mean.

    The most likely distribution gives a result of gain g and frequency f the probability f / (1 + multiplier g). The
    mean is then a falling function of the multiplier, whose root is wanted. Where results on one side of `score` are
    missing, the root may lie where probabilities are negative: the end of the range is then the answer, and what is
    left of the probability goes to the best or worst result, which did not occur.
    """
    gains = _gains(counts, score)
    low, high = -1 / (1 - score), 1 / score
    if not counts[0] and _slope(gains, high)[0] >= 0:
        return high
    if not counts[-1] and _slope(gains, low)[0] <= 0:
        return low
    at = 0.0
    for _ in range(STEPS):
        slope, fall = _slope(gains, at)
        low, high = (at, high) if slope > 0 else (low, at)
        following = at + slope / fall
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - at) <= 1e-12 * (1 + abs(at)):
            break
        at = following
    return at


def _slope(gains: Sequence[tuple[int, float]], at: float) -> tuple[float, float]:
    """The function whose root is wanted, and how fast it falls."""
    shares = [(count, gain / (1 + at * gain)) for count, gain in gains]
    return sum(count * share for count, share in shares), sum(count * share * share for count, share in shares)


def _edge(counts: Sequence[int], mean: float, end: float) -> float:
    """Where the log-likelihood, which falls from `mean` to `end`, has fallen as far as the interval lets it."""
    inside, outside = mean, end
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        if log_likelihood(counts, middle) >= -HALF_CHI2_95:
            inside = middle
        else:
            outside = middle
    return inside
