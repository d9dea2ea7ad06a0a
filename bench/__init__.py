"""Simulators and comparisons behind `hexarena bench`, as functions; the commands are in `cli/bench`."""
