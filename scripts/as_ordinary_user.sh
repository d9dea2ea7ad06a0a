#!/usr/bin/env bash
# Runs a command of this checkout as an ordinary user. Whoever is one runs it right here. Root makes one, with a copy
# of the checkout that this user can read and an installation of its own, and removes the copy afterwards.
# Usage: as_ordinary_user.sh COMMAND…
set -euo pipefail
if [ "$(id -u)" -ne 0 ]; then exec "$@"; fi

user=hexarena-test
id "$user" >/dev/null 2>&1 || useradd --system --user-group --no-create-home --home-dir /nonexistent "$user"
home=$(mktemp -d "/var/tmp/$user.XXXXXX")
trap 'rm -rf "$home"' EXIT
copy="$home/hexarena"
mkdir "$copy"

# What is under version control or would be, and what was built for the browser, which is as good for everybody.
built=(frontend/dist frontend/node_modules/axe-core)
{ git -c safe.directory='*' ls-files -z --cached --others --exclude-standard; printf '%s\0' "${built[@]}"; } |
  tar --create --null --files-from=- --ignore-failed-read --warning=no-failed-read |
  tar --extract --directory "$copy" --no-same-owner
# Root's own Python may lie where nobody else can look. Links to root's package cache would change their owner there.
path=/usr/local/bin:/usr/bin:/bin
(umask 022 && cd "$copy" && PATH="$path" UV_LINK_MODE=copy make --no-print-directory PYTHON=python3 setup)
chown -R "$user:" "$home"

cd "$copy"
setpriv --reuid="$user" --regid="$user" --init-groups \
  env --unset=TMPDIR HOME="$home" USER="$user" LOGNAME="$user" PATH="$path" "$@"
