#!/usr/bin/env bash
# Puts Debian's Caddy into .venv/bin for the tests of docker/Caddyfile. Installing the package would start a server on
# port 80, so its program is taken out. Without it, these tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
command -v caddy >/dev/null && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
if apt-get download --quiet=2 -o APT::Sandbox::User=root caddy 2>/dev/null && dpkg-deb --extract caddy_*.deb .; then
  mv usr/bin/caddy "$OLDPWD/.venv/bin/caddy"
else
  echo "Caddy is not here and cannot be downloaded: the tests of docker/Caddyfile will be skipped."
fi
