"""Go."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import Language

GO_BUILD = r"""
cd "$1" || exit
export GOCACHE="$0/cache" GOPATH="$0/path" GOENV=off GOPROXY=off GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
export CGO_ENABLED=0 GOMAXPROCS=2
if [ -f go.mod ]; then
    set -- .
else
    set -- *.go
    for file; do shift; case $file in *_test.go) ;; *) set -- "$@" "$file" ;; esac; done
fi
go build -o "$0/bot" "$@" || exit
[ "$(head -c 4 "$0/bot" | tail -c 3)" = ELF ] && exit
echo 'expected package main; got another, which is no program' >&2
exit 1
"""
"""With a go.mod, the module: folders in it are packages. Else all files of the folder, which are one package."""

GO = Language(
    id="go",
    name="Go",
    ending=".go",
    source_name="bot.go",
    artefact_name="bot",
    build=("sh", "-c", GO_BUILD, "{out}", "{bot}"),
    # One thread for goroutines: what runs beside another is charged all the same, and idle threads would spin.
    run=("env", "GOMAXPROCS=1", "GOMEMLIMIT=704MiB", "{bot}/bot"),
    version_commands=(("go", "version"),),
    install="golang-go from the system's packages",
    settings=(),
)
