"""Runs a command behind a container's seccomp profile, without a container: behind_profile.py PROFILE COMMAND…

It reads the profile as container runtimes do, and hands it to the kernel through libseccomp, which they use too: names
that this machine or this libseccomp do not know are passed over, so that they answer as everything unknown does.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

ALLOW, ERRNO = 0x7FFF_0000, 0x0005_0000
UNKNOWN = -1
TESTS = {"SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}


class Comparison(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_ = (
        ("index", ctypes.c_uint),
        ("test", ctypes.c_int),
        ("value", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def load(profile: dict[str, Any]) -> None:
    """Puts this process, and all that it becomes or starts, behind the profile. Raises OSError."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    default = ERRNO | profile["defaultErrnoRet"]
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(default)))
    for rule in profile["syscalls"]:
        action = ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else ERRNO | rule["errnoRet"]
        comparisons = [
            Comparison(one["index"], TESTS[one["op"]], one["value"], one["valueTwo"]) for one in rule.get("args", [])
        ]
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            if number != UNKNOWN and action != default:
                array = (Comparison * len(comparisons))(*comparisons)
                check(library.seccomp_rule_add_array(context, action, number, len(comparisons), array))
    check(library.seccomp_load(context))


def check(result: int) -> None:
    """libseccomp answers with a negative number where something is wrong."""
    if result < 0:
        raise OSError(-result, os.strerror(-result))


if __name__ == "__main__":
    load(json.loads(Path(sys.argv[1]).read_text()))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - what the whole file is for
