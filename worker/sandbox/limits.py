"""The limits of a bot and of a build. All of them are data, so that tests can lower them."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Limits:
    """For one bot in one match.

    processes: threads count too.
    output_turn_bytes: read from stdout in one turn. reply_bytes (a longest line) is the game's own.
    stderr_turn_bytes, stderr_match_bytes: kept for the author; the rest is read and dropped.
    stderr_flood_bytes: written to stderr in a match; more is a fault.
    wall_factor: the wall clock's cap on a turn, as a multiple of its CPU time.
    wall_first_s, wall_turn_s: that cap is never lower than these, on the first turn and on later ones.
    sleep_match_s: how long the bot may sleep in its turns of a match, all together. With the CPU time of the turns,
    that bounds a match: no bot takes longer than turns x limit + this, but for what the machine makes it wait.
    """

    memory_bytes: int = 768 * MIB
    processes: int = 64
    open_files: int = 64
    stack_bytes: int = 8 * MIB
    file_bytes: int = 64 * MIB
    tmp_bytes: int = 16 * MIB
    shared_memory_bytes: int = 64 * KIB
    output_turn_bytes: int = 64 * KIB
    stderr_turn_bytes: int = 8 * KIB
    stderr_match_bytes: int = 256 * KIB
    stderr_flood_bytes: int = 16 * MIB
    wall_factor: float = 10.0
    wall_first_s: float = 3.0
    wall_turn_s: float = 1.0
    sleep_match_s: float = 20.0

    def wall_s(self, cpu_s: float, *, first: bool) -> float:
        """The wall clock's cap on a turn that may use `cpu_s` seconds of CPU time."""
        return max(self.wall_factor * cpu_s, self.wall_first_s if first else self.wall_turn_s)


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """For one build. `log_bytes`: how much of the compiler's output is kept."""

    cpu_s: float = 20.0
    wall_s: float = 30.0
    memory_bytes: int = 1024 * MIB
    processes: int = 64
    open_files: int = 256
    stack_bytes: int = 8 * MIB
    file_bytes: int = 256 * MIB
    tmp_bytes: int = 256 * MIB
    shared_memory_bytes: int = 64 * KIB
    artefact_bytes: int = 64 * MIB
    log_bytes: int = 64 * KIB


PREPARATION_LIMITS = BuildLimits(
    cpu_s=300.0,
    wall_s=600.0,
    memory_bytes=2048 * MIB,
    tmp_bytes=1024 * MIB,
    file_bytes=512 * MIB,
    artefact_bytes=512 * MIB,
)
"""For what is made once of a toolchain: our own commands, no author's sources."""
