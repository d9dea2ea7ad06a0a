#!/usr/bin/env bash
# Installs Debian packages that are missing, where that is allowed; else says in one line what to install.
# Usage: system_packages.sh [--optional] PACKAGE…     --optional: continue without them, and ask for no password.
set -euo pipefail

optional=no
if [ "${1:-}" = --optional ]; then
  optional=yes
  shift
fi

# Where sandboxes look for languages: a compiler in a home folder does not count.
system=/usr/local/bin:/usr/bin:/bin

is_there() {
  case "$1" in
    bubblewrap) [ "${HEXARENA_SANDBOX:-}" = none ] || command -v bwrap ;;
    python3-venv) "${PYTHON:-python3}" -c 'import ensurepip, venv' ;;
    chromium) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
    default-jdk-headless) PATH=$system command -v javac ;;
    golang-go) PATH=$system command -v go ;;
    esbuild | gcc | ghc | lua5.4 | ruby) PATH=$system command -v "$1" ;;
    rustc-web | cargo-web) PATH=$system command -v "${1%-web}" ;;
    fp-compiler) PATH=$system command -v fpc ;;
    ldc) PATH=$system command -v ldc2 ;;
    ocaml-nox) PATH=$system command -v ocamlopt ;;
    librust-*-dev) crate=${1#librust-} && ls -d /usr/share/cargo/registry/"${crate%-dev}"-[0-9]* ;;
    python3-numpy) ls -d /usr/lib/python3/dist-packages/numpy ;;
    mono-mcs) PATH=$system command -v mcs ;;
    mono-runtime) PATH=$system command -v mono ;;
    php-cli) PATH=$system command -v php ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

missing=()
for package in "$@"; do
  is_there "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(uname)" = Darwin ]; then
  echo "Not available on macOS: ${missing[*]}. Use a Linux virtual machine or the containers." >&2
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(false)
  if command -v sudo >/dev/null 2>&1; then
    if sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    elif [ "$optional" = no ] && [ -t 0 ] && [ -t 2 ]; then
      echo "${missing[*]} must be installed as root. (Ctrl-C stops here.)" >&2
      if sudo -v; then as_root=(sudo -n); fi
    fi
  fi
fi
install() {
  # A new machine installs updates of its own just after its start: wait for those.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "$@"
}
if command -v apt-get >/dev/null 2>&1 && [ "${as_root[0]:-}" != false ]; then
  echo "Installing ${missing[*]} …"
  if install "${missing[@]}" >/dev/null 2>&1; then exit 0; fi
  if "${as_root[@]}" apt-get update -qq >/dev/null 2>&1 && install "${missing[@]}" >/dev/null; then exit 0; fi
  if [ "$optional" = yes ]; then
    # A package that this system lacks must not prevent the others.
    left=()
    for package in "${missing[@]}"; do
      # Debian has a current Rust in packages of their own, other systems in the usual ones.
      install "$package" >/dev/null 2>&1 || install "${package%-web}" >/dev/null 2>&1 || left+=("$package")
    done
    missing=("${left[@]}")
    [ ${#missing[@]} -eq 0 ] && exit 0
  fi
fi

if [ "$optional" = yes ]; then
  echo "Continuing without ${missing[*]}. To have it: sudo apt-get install ${missing[*]}" >&2
  exit 0
fi
echo "Please install, and run this again: ${missing[*]}   (Debian, Ubuntu: sudo apt-get install ${missing[*]})" >&2
exit 1
