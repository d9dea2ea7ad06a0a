"""Rust, with the crates that CodinGame has, and Cargo's layout of a package."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import OWN_PLACE, Language, Preparation
from hexarena.backend.submissions.languages.retry import TRIES

CRATES = {
    "chrono": "",
    "itertools": "",
    "libc": "",
    "rand": '"small_rng"',
    "regex": "",
    "time": '"macros", "formatting", "parsing", "local-offset"',
}
"""What CodinGame offers: crate -> its features beyond the default ones."""

RUST_BUILD = (
    r"""
IFS='
'
out=$1 bot=$2 entry=$3 prepared=$4
edition=$(sed -nE 's/^ *edition *= *"([0-9]+)".*/\1/p' "$bot/Cargo.toml" 2> /dev/null | head -n 1)
"""
    + TRIES
    + rf"""
build() {{ rustc --edition "${{edition:-2021}}" -O -C codegen-units=1 -C strip=debuginfo "$@"; }}
crates() {{
    for crate in {" ".join(CRATES)}; do
        for file in "$prepared/lib$crate"-*.rlib; do
            [ -f "$file" ] && printf '%s\n' "--extern=$crate=$file"
        done
    done
}}
whole() {{
    set --  "$@" -L "dependency=$prepared"
    library=$(dirname "$entry")/lib.rs
    [ "$(basename "$(dirname "$entry")")" = bin ] && library=$(dirname "$(dirname "$entry")")/lib.rs
    if [ -f "$library" ] && [ -f "$bot/Cargo.toml" ]; then
        name=$(sed -nE 's/^ *name *= *"([A-Za-z0-9_-]+)".*/\1/p' "$bot/Cargo.toml" | head -n 1 | tr - _)
        build --crate-type rlib --crate-name "${{name:-bot}}" -o "$out/lib${{name:-bot}}.rlib" "$@" "$library" || return
        set -- "$@" "--extern=${{name:-bot}}=$out/lib${{name:-bot}}.rlib"
    fi
    build --crate-name bot -o "$out/bot" "$@" "$entry"
}}
plain() {{ whole; }}
helped() {{ [ -d "$prepared" ] && whole $(crates); }}
explain() {{
    grep -qE 'E0432|E0433|E0463' "$1" || return
    missing=
    for crate in {" ".join(CRATES)}; do
        [ ! -d "$prepared" ] || crates | grep -q "=$crate=" || missing="$missing $crate"
    done
    echo "There are the crates {", ".join(CRATES)}${{missing:+, but not installed here:$missing}}." >&2
}}
tries plain helped
"""
)

RUST_PREPARATION = (
    r"""
out=$1; shift
export CARGO_HOME=/tmp/hexarena-cargo CARGO_TARGET_DIR=/tmp/hexarena-crates
mkdir -p "$CARGO_HOME" "$out/.crates/src" && cd "$out/.crates" && : > src/lib.rs || exit
registry=/usr/share/cargo/registry
printf '[source.crates-io]\nreplace-with = "system"\n[source.system]\ndirectory = "%s"\n' "$registry" \
    > "$CARGO_HOME/config.toml"
"""
    """
manifest() {
    printf '[package]\\nname = "crates"\\nversion = "0.0.0"\\nedition = "2021"\\n[profile.release]\\nopt-level = 2\\n'
    printf 'codegen-units = 1\\n[dependencies]\\n'
    for wanted; do
        ls -d "$registry/${wanted%%=*}"-[0-9]* > /dev/null 2>&1 &&
            printf '%s = { version = "*", features = [%s] }\\n' "${wanted%%=*}" "${wanted#*=}"
    done
}
manifest "$@" > Cargo.toml
cargo build --release --offline --quiet || exit
cp "$CARGO_TARGET_DIR"/release/deps/lib*.rlib "$CARGO_TARGET_DIR"/release/deps/lib*.so "$out"
rm -rf "$CARGO_HOME" "$CARGO_TARGET_DIR" "$out/.crates"
"""
)

RUST = Language(
    id="rust",
    name="Rust",
    ending=".rs",
    source_name="bot.rs",
    artefact_name="bot",
    build=("sh", "-c", RUST_BUILD, "build", "{out}", "{bot}", "{entry}", "{prepared}"),
    run=("{bot}/bot",),
    version_commands=(("rustc", "--version"),),
    install="rustc-web and cargo-web from the system's packages (elsewhere rustc and cargo); what is in a home folder "
    "(rustup) cannot be reached from inside a sandbox",
    links=OWN_PLACE,
    settings=(),
    preparation=Preparation(
        wanted_by=rf"\b({'|'.join(CRATES)})\b",
        build=("sh", "-c", RUST_PREPARATION, "prepare", "{out}", *(f"{name}={more}" for name, more in CRATES.items())),
        made_of=("usr/share/cargo/registry/*", "usr/bin/cargo"),
    ),
)
