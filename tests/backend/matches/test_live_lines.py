"""Lines of running matches: which are sent at once, and which wait for others. On a real broker."""

from __future__ import annotations

from redis import Redis

from hexarena.backend.matches import live
from hexarena.backend.runtime.settings import Settings


def sent(settings: Settings, at_s: list[float]) -> list[list[str]]:
    """The batches of a stream that gets line N at the N-th of these seconds."""
    redis, now = Redis.from_url(settings.redis_url), 0.0
    key = live.stream_key(settings.namespace, 1, 1)
    redis.delete(key)
    stream = live.LineStream(redis, key, clock=lambda: now)
    for number, second in enumerate(at_s):
        now = second
        stream.add(str(number))
    return [list(live.lines_of(entry)[0]) for _, entry in redis.xrange(key)]


def test_the_first_turn_does_not_wait_for_the_second(settings: Settings) -> None:
    assert sent(settings, [50.0, 50.01, 50.02, 50.03, 50.04]) == [["0"], ["1"], ["2"]]


def test_a_fast_match_sends_ten_batches_a_second(settings: Settings) -> None:
    batches = sent(settings, [50 + number / 100 for number in range(200)])
    assert 20 <= len(batches) <= 20 + live.FLUSHES_AT_ONCE
    assert all(9 <= len(one) <= 11 for one in batches[5:])


def test_after_a_long_turn_lines_are_sent_at_once_again(settings: Settings) -> None:
    assert sent(settings, [50.0, 50.01, 50.02, 53.0, 53.01, 53.02, 53.03]) == [
        *(["0"], ["1"], ["2"]),
        *(["3"], ["4"], ["5"]),
    ]
