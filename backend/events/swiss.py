"""Who meets whom in a round of a Swiss stage. Pure.

Source: the pairing is a maximum-weight matching (networkx), as several pairing engines for chess do it. In the order of
importance: nobody meets the same opponent twice, scores are near each other, and within a score the upper half meets
the lower half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

MOST_WHOLE = 384
"""Of so many, any two may be paired. Of more, only those who are about as far apart as they should be: to look at all
pairs takes many seconds, and more with the cube of their number."""
NEAR = 24
"""So many places around these."""
REMATCH = 10**9
SCORE = 10**4
"""The price of a difference of one half point, squared."""


def pair(
    standing: Sequence[tuple[int, int]], met: Collection[frozenset[int]], had_bye: Collection[int]
) -> tuple[list[tuple[int, int]], int | None]:
    """The pairs of the next round, the leader's first, and who has a bye.

    `standing`: (entrant, half points), the best first. `met`: pairs that were played. `had_bye`: who had one already.
    """
    import networkx  # it takes .3 s, and checking other forms does without it

    players = list(standing)
    bye = None
    if len(players) % 2:
        bye = next((one for one, _ in reversed(players) if one not in had_bye), players[-1][0])
        players = [one for one in players if one[0] != bye]
    sizes = Counter(points for _, points in players)
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(players)))
    for low, high in _candidates(players, sizes):
        graph.add_edge(low, high, weight=-_price(players, low, high, met, sizes))
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    pairs = sorted((min(one), max(one)) for one in matching)
    return [(players[low][0], players[high][0]) for low, high in pairs], bye


def _candidates(players: Sequence[tuple[int, int]], sizes: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Whom a pairing looks at. `sizes`: points -> how many have these."""
    count = len(players)
    for low in range(count):
        if count <= MOST_WHOLE:
            around = set(range(low + 1, count))
        else:
            half = low + max(1, sizes[players[low][1]] // 2)
            around = {*range(low + 1, low + NEAR + 1), *range(half - NEAR, half + NEAR + 1)}
        yield from ((low, high) for high in sorted(around) if low < high < count)


def _price(
    players: Sequence[tuple[int, int]],
    low: int,
    high: int,
    met: Collection[frozenset[int]],
    sizes: Mapping[int, int],
) -> int:
    """`sizes`: points -> how many have these."""
    (one, score), (other, other_score) = players[low], players[high]
    fold = abs((high - low) - max(1, sizes[score] // 2))
    return REMATCH * (frozenset((one, other)) in met) + SCORE * (score - other_score) ** 2 + fold
