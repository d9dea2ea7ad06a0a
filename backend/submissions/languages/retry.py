"""A build in several tries: as the sources are, and where that fails, with help; for builds written in sh."""

from __future__ import annotations

TRIES = r"""
tries() {
    fewest=
    for try; do
        "$try" 2> "$out/.log" && { cat "$out/.log" >&2; exit 0; }
        times > "$out/.cpu"  # not in $(...), where it would count only what that has started
        errors=$(grep -c error "$out/.log")
        if [ -s "$out/.log" ] && { [ -z "$fewest" ] || [ "$errors" -lt "$fewest" ]; }; then
            fewest=$errors
            mv "$out/.log" "$out/.shown"
        fi
        [ "$(cpu_s)" -lt 6 ] || break
    done
    cat "$out/.shown" >&2
    explain "$out/.shown"
    exit 1
}
cpu_s() { { read -r _; IFS='m. ' read -r minutes seconds _; } < "$out/.cpu"; echo $((60 * minutes + seconds)); }
"""
"""`tries` calls functions of the script's own, one after the other, until one succeeds. When all fail, the author reads
the log with the fewest errors, so that nobody sees what another try would have fixed; then `explain` may add to
it, whose name it gets. After 6 s of CPU time there is no further try: the limit would end it before its author has
read anything. The script has set `out`."""
