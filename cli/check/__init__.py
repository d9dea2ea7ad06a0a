"""`hexarena check`: what a game must keep, tested in its own folder, wherever that is."""
