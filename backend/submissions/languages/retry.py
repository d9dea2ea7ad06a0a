"""A build in two tries: as the sources are, and if that fails, with help; for builds written in sh."""

from __future__ import annotations

TWO_TRIES = r"""
tries() {
    plain "$@" 2> "$out/.plain" && { cat "$out/.plain" >&2; exit 0; }
    helped "$@" 2> "$out/.helped" && { cat "$out/.helped" >&2; exit 0; }
    shown=$out/.plain
    [ -s "$out/.helped" ] && [ "$(errors "$out/.helped")" -lt "$(errors "$out/.plain")" ] && shown=$out/.helped
    cat "$shown" >&2
    explain "$shown"
    exit 1
}
errors() { grep -c error "$1"; }
"""
"""`tries` calls `plain`, then `helped`, two functions of the script's own, with its arguments. When both fail, the
author reads the log with fewer errors, so that nobody hears of what the other try would have mended; then `explain` may
add to it, whose name it gets. The script has set `out`."""
