#!/usr/bin/env bash
# Runs a command while other processes keep cores of this machine busy: no test may depend on how fast it is.
# Usage: beside_busy_processes.sh NUMBER COMMAND…
set -euo pipefail
number=$1
shift
busy=()
trap 'for one in "${busy[@]}"; do kill "$one"; done' EXIT
for _ in $(seq "$number"); do
  # They end with this script, however it ends.
  while [ -d "/proc/$$" ]; do :; done &
  busy+=($!)
done
"$@"
