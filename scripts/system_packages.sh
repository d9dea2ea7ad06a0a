#!/usr/bin/env bash
# Installs Debian packages that are missing, where that is allowed; else says in one line what to install.
# Usage: system_packages.sh bubblewrap chromium
set -euo pipefail

program_of() {
  case "$1" in
    bubblewrap) echo bwrap ;;
    *) echo "$1" ;;
  esac
}

if [ "${HEXARENA_SANDBOX:-}" = none ] && [ "$*" = bubblewrap ]; then exit 0; fi
missing=()
for package in "$@"; do
  command -v "$(program_of "$package")" >/dev/null 2>&1 || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(uname)" = Darwin ]; then
  echo "Not available on macOS: ${missing[*]}. Bots can only run without walls here: HEXARENA_SANDBOX=none make run" >&2
  exit 0
fi
if command -v apt-get >/dev/null 2>&1; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root=(sudo -n); else as_root=(false); fi
  fi
  if [ "${as_root[0]:-}" != false ]; then
    echo "Installing ${missing[*]} …"
    export DEBIAN_FRONTEND=noninteractive
    if "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then exit 0; fi
    "${as_root[@]}" apt-get update -qq >/dev/null
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    exit 0
  fi
fi
echo "Please install, and run this again: ${missing[*]}   (Debian, Ubuntu: sudo apt-get install ${missing[*]})" >&2
exit 1
