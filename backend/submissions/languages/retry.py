"""A build in several tries: as the sources are, and where that fails, with help; for builds written in sh."""

from __future__ import annotations

TRIES = r"""
tries() {
    fewest= begun=$(date +%s)
    for try; do
        "$try" 2> "$out/.log" && { cat "$out/.log" >&2; exit 0; }
        errors=$(grep -c error "$out/.log")
        if [ -s "$out/.log" ] && { [ -z "$fewest" ] || [ "$errors" -lt "$fewest" ]; }; then
            fewest=$errors
            mv "$out/.log" "$out/.shown"
        fi
        [ $(($(date +%s) - begun)) -lt 6 ] || break
    done
    cat "$out/.shown" >&2
    explain "$out/.shown"
    exit 1
}
"""
"""`tries` calls functions of the script's own, one after the other, until one succeeds. When all fail, the author reads
the log with the fewest errors, so that nobody hears of what another try would have mended; then `explain` may add to
it, whose name it gets. A build that takes long is not tried again: its limit would end it before its author has read
anything. The script has set `out`."""
