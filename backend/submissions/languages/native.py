"""Languages with a compiler of their own that need no more than a row."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import Language

# Without its timer, which bots may not have where there are no control groups: threads of Haskell's own then take turns
# only where they wait.
HASKELL = Language(
    id="haskell",
    name="Haskell",
    ending=".hs",
    source_name="bot.hs",
    artefact_name="bot",
    build=(
        *("sh", "-c"),
        'mkdir "$0/objects" && '
        'exec ghc -O -v0 -with-rtsopts=-V0 -i"${2%/*}:$1" -outputdir "$0/objects" -o "$0/bot" "$2"',
        *("{out}", "{bot}", "{entry}"),
    ),
    run=("{bot}/bot",),
    version_commands=(("ghc", "--version"), ("gcc", "--version")),
    install="ghc from the system's packages",
    links=(("/proc/self/exe", "/usr/lib/ghc/bin/ghc"),),
    settings=(),
    builds_run_code=True,  # Template Haskell, and -pgmF in a pragma
)

OCAML_BUILD = r"""
out=$1 bot=$2 entry=${3#"$2/"}; shift 3
mkdir "$out/objects" && cd "$out/objects" || exit
for file; do
    shift
    place=${file#"$bot/"}
    mkdir -p "$(dirname "$place")" && cp "$file" "$place" || exit
    set -- "$@" "$place"
done
folders=$(dirname "$@" | sort -u | sed 's/^/-I /')
set -- $(ocamldep -sort $folders "$@" | tr ' ' '\n' | grep -vxF "$entry") "$entry"
exec ocamlopt -w -a -g $folders unix.cmxa str.cmxa -o "$out/bot" "$@"
"""
"""In the order in which they need each other; the file that starts comes last, for its code then runs last."""

OCAML = Language(
    id="ocaml",
    name="OCaml",
    ending=".ml",
    source_name="bot.ml",
    artefact_name="bot",
    build=("sh", "-c", OCAML_BUILD, "build", "{out}", "{bot}", "{entry}", "{sources}"),
    run=("{bot}/bot",),
    version_commands=(("ocamlopt", "-version"), ("gcc", "--version")),
    install="ocaml-nox from the system's packages",
    settings=(),
)

# D's garbage collector asks glibc where the stack ends. For the first thread that reads /proc, which sandboxes do not
# have: it then looked at no stack, and gave away memory that was in use. The dynamic linker knows the end, too.
D_STACK = """module hexarena_stack;
import core.sys.posix.pthread : pthread_attr_init, pthread_attr_setstack, pthread_attr_t, pthread_t;

extern (C) nothrow @nogc:

extern __gshared void* __libc_stack_end;
void* dlsym(void*, const(char)*);

int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) {
    enum size_t size = 1 << 20;
    void* next = cast(void*) -1; // RTLD_NEXT: glibc's own
    auto theirs = cast(int function(pthread_t, pthread_attr_t*) nothrow @nogc) dlsym(next, "pthread_getattr_np");
    const failed = theirs(thread, attributes);
    if (failed == 0) return 0;
    pthread_attr_init(attributes);
    return pthread_attr_setstack(attributes, __libc_stack_end - size, size);
}
"""

D = Language(
    id="d",
    name="D",
    ending=".d",
    source_name="bot.d",
    artefact_name="bot",
    build=("ldc2", "-O2", "-g", "--oq", "--od={out}/objects", "-I={bot}", "--of={out}/bot", "{sources}"),
    run=("{bot}/bot",),
    version_commands=(("ldc2", "--version"), ("gcc", "--version")),
    install="ldc from the system's packages",
    beside=((".hexarena/stack.d", D_STACK),),
    settings=(),
)

PASCAL = Language(
    id="pascal",
    name="Pascal",
    ending=".pas",
    source_name="bot.pas",
    artefact_name="bot",
    build=(
        *("fpc", "-O2", "-v0ewb", "-l-", "-Mobjfpc", "-Sh", "-Fu{bot}", "-Fu{bot}/*", "-FU{out}", "-FE{out}"),
        *("-o{out}/bot", "{entry}"),
    ),
    run=("{bot}/bot",),
    version_commands=(("fpc", "-iV"),),
    install="fp-compiler from the system's packages",
    settings=(),
    other_endings=(".pp",),
)
