"""The filter on system calls, as the bytes that the kernel takes: assembled here from `rules.py`, for two machines.

Theory of operation: namespaces decide what a process can *see*; this filter decides what it may ask of the kernel. In
the order of the program: a foreign architecture kills the process, for its numbers mean other calls; then a search by
halves finds the range of numbers that the call is in, which leads to its answer, or to a few tests of one argument.
The x32 entry of x86-64 is the range that kills, too. Calls newer than `calls.py`, numbers that were never assigned and
calls without a rule answer ENOSYS, as on an older kernel.

The kernel knows of most calls from their number alone that they are allowed, and then does not run the program at all.

Source: linux/filter.h, linux/seccomp.h.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hexarena.worker.sandbox.calls import FIRST_UNKNOWN_CALL, MACHINES, NUMBERS
from hexarena.worker.sandbox.rules import ERRORS, Answer, Part, Rule, Test, Use, answers, part_of

X32_ENTRY = 0x4000_0000

# Classic BPF, as far as it is needed here.
LOAD_WORD = 0x20
JUMP = 0x05
JUMP_EQUAL = 0x15
JUMP_NOT_LESS = 0x35
JUMP_ANY_BIT = 0x45
RETURN = 0x06
AND = 0x54
TESTS: Mapping[Test, int] = {"equal": JUMP_EQUAL, "any bit": JUMP_ANY_BIT, "low byte": JUMP_EQUAL}
LOW_BYTE = 0xFF

# Offsets into struct seccomp_data; both machines are little-endian, so an argument's low half comes first.
NUMBER_AT = 0
ARCHITECTURE_AT = 4


def _argument_at(index: int) -> int:
    return 16 + 8 * index


ACTIONS: Mapping[str, int] = {
    "allow": 0x7FFF_0000,
    "kill": 0x8000_0000,
    **{str(answer): 0x0005_0000 | number for answer, number in ERRORS.items()},
}
"""Answer -> SECCOMP_RET_*."""


@dataclass(slots=True)
class Assembler:
    """Instructions whose jumps lead to labels further down; a label of None is the next instruction."""

    code: list[tuple[int, str | None, str | None, int]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)

    def load(self, offset: int) -> None:
        """Loads a word of the call's description."""
        self.code.append((LOAD_WORD, None, None, offset))

    def mask(self, bits: int) -> None:
        """Keeps these bits of what was loaded."""
        self.code.append((AND, None, None, bits))

    def test(self, test: int, value: int, *, then: str | None, otherwise: str | None = None) -> None:
        """Compares what was loaded."""
        self.code.append((test, then, otherwise, value))

    def jump(self, label: str) -> None:
        """Any distance down."""
        self.code.append((JUMP, label, None, 0))

    def answer(self, answer: str) -> None:
        """Ends the program here."""
        self.code.append((RETURN, None, None, ACTIONS[answer]))

    def label(self, name: str) -> None:
        """Names the next instruction."""
        self.labels[name] = len(self.code)

    def assemble(self) -> bytes:
        """The program as an array of struct sock_filter. A test that leads over 255 instructions is a ValueError."""
        parts: list[bytes] = []
        for index, (operation, then, otherwise, value) in enumerate(self.code):
            jumps = [0 if name is None else self.labels[name] - index - 1 for name in (then, otherwise)]
            if operation == JUMP:
                parts.append(struct.pack("<HBBI", JUMP, 0, 0, jumps[0]))
                continue
            if operation == AND:
                parts.append(struct.pack("<HBBI", AND, 0, 0, value))
                continue
            if not all(0 <= jump <= 255 for jump in jumps):
                raise ValueError(f"expected jumps of 0 to 255 instructions; got {jumps} at instruction {index}")
            parts.append(struct.pack("<HBBI", operation, jumps[0], jumps[1], value))
        return b"".join(parts)


Range = tuple[int, str]
"""(the first number, an answer or the label of a call that has a rule)."""


def supported(machine: str = platform.machine()) -> bool:
    """Whether there is a table for this machine."""
    return machine in MACHINES


def make_filter(use: Use, machine: str = platform.machine(), part: Part = "whole") -> bytes:
    """The filter for `machine`, as `uname -m` names it. `part`: of it, see `rules.part_of`.

    Raises: KeyError when there is no table for it.
    """
    target, (found, otherwise) = MACHINES[machine], part_of(answers(use), part)
    program = Assembler()
    program.load(ARCHITECTURE_AT)
    program.test(JUMP_EQUAL, target.audit, then="known")
    program.answer("kill")
    program.label("known")
    program.load(NUMBER_AT)
    _search(program, _ranges(found, target.column, otherwise, has_x32=target.has_x32))
    for name, rule in found.items():
        if isinstance(rule, Rule):
            program.label(_label(name))
            _apply(program, rule)
    for answer in ACTIONS:
        program.label(f"answer {answer}")
        program.answer(answer)
    return program.assemble()


def _label(name: str) -> str:
    """Of a call's rule. There is a call "kill" as well as an answer."""
    return f"call {name}"


def _ranges(found: Mapping[str, Answer | Rule], column: int, unlisted: Answer, *, has_x32: bool) -> list[Range]:
    """All numbers, in order, in as few ranges as possible. `unlisted`: the answer to all others."""
    by_number: dict[int, str] = {}
    for name, answer in found.items():
        number = NUMBERS[name][column]
        if number is not None:
            by_number[number] = _label(name) if isinstance(answer, Rule) else answer
    ranges: list[Range] = []
    for number in range(FIRST_UNKNOWN_CALL + 1):
        now = by_number.get(number, unlisted)
        if not ranges or ranges[-1][1] != now:
            ranges.append((number, now))
    return [*ranges, (X32_ENTRY, "kill")] if has_x32 else ranges


def _search(program: Assembler, ranges: Sequence[Range]) -> None:
    """Finds the range of the number that is loaded."""
    if len(ranges) == 1:
        ((_, answer),) = ranges
        if answer in ACTIONS:
            program.answer(answer)
        else:
            program.jump(answer)
        return
    middle = len(ranges) // 2
    first = ranges[middle][0]
    program.test(JUMP_NOT_LESS, first, then=f"from {first}")
    _search(program, ranges[:middle])
    program.label(f"from {first}")
    _search(program, ranges[middle:])


def _apply(program: Assembler, rule: Rule) -> None:
    """Tests an argument. Where the kernel uses 32 bits of it, the lower half is all that counts; so it is elsewhere.

    A test of the low byte is the last of its rule: nothing else of the argument is loaded any more.
    """
    program.load(_argument_at(rule.argument))
    for test, values, answer in rule.tests:
        if test == "low byte":
            program.mask(LOW_BYTE)
        for value in values:
            program.test(TESTS[test], value, then=f"answer {answer}")
    program.answer(rule.otherwise)
