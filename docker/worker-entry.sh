#!/bin/sh
# Hands the container's own control groups (version 2) to the worker's user, then becomes that user for good, without
# a single capability, and runs the command that is given. For docker/compose.cgroups.yml; docs/organisers.md.
set -eu
groups=/sys/fs/cgroup
user=10001

[ -f "$groups/cgroup.controllers" ] || {
  echo "expected control groups of version 2 alone at $groups; go without docker/compose.cgroups.yml here" >&2
  exit 1
}
mount -o remount,rw "$groups"
# A group whose controllers are given to groups below it may hold no processes itself.
mkdir -p "$groups/worker"
while read -r process; do
  echo "$process" >"$groups/worker/cgroup.procs" 2>/dev/null || true
done <"$groups/cgroup.procs"
echo "+memory +pids +cpu" >"$groups/cgroup.subtree_control"
# The container's own limits are files in the same folder; they stay root's.
chown "$user:$user" "$groups" "$groups/cgroup.procs" "$groups/cgroup.subtree_control" \
  "$groups/worker" "$groups/worker/cgroup.procs"
exec setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs "$@"
