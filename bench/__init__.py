"""Benches that are too large for one file of `worker/benches`, where their commands are."""
