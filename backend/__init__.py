"""Floor 1, the arena: data, decisions and HTTP. Knows the games below it, and nothing of the workers above it."""
