"""Matches: the queue and its leases, results, replays, and live events."""
