"""How the arena is doing: figures for organisers, for Prometheus, and whether it is ready."""
