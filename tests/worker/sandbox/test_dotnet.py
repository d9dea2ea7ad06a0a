"""Which .NET SDK is found in a folder laid out as packages do, what its row says, and what is said where there is none.

No SDK runs here: the trees are of empty files, and where a compiler has to start, other programs stand for it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import CSHARP, PYTHON, Language
from hexarena.backend.submissions.languages.csharp import CONFIG, dotnet_row
from hexarena.games.contract import Crashed
from hexarena.worker.sandbox import BuildFailed, LanguageMissing, Sandbox
from hexarena.worker.sandbox.build import key_of
from hexarena.worker.sandbox.dotnet import OLDEST, as_here, find_sdk, why_not
from hexarena.worker.sandbox.root import MACHINE, Root
from tests.worker.sandbox.conftest import need_dotnet, need_mono, patient

UBUNTU, MICROSOFT, FEDORA = "usr/lib/dotnet", "usr/share/dotnet", "usr/lib64/dotnet"
RUNTIMES, PACKS = "shared/Microsoft.NETCore.App", "packs/Microsoft.NETCore.App.Ref"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """An empty one."""
    return Root(tmp_path, digest="of a list")


def lay(root: Root, place: str, *, sdk: str = "", runtime: str = "", pack: str = "", net: str = "net8.0") -> None:
    """Adds what a package does: `dotnet`, and where they are named, an SDK, a runtime and a pack."""
    folder = root.folder / place
    for name in (
        "dotnet",
        *([f"sdk/{sdk}/Roslyn/bincore/csc.dll"] if sdk else []),
        *([f"{RUNTIMES}/{runtime}/System.Runtime.dll"] if runtime else []),
        *([f"{PACKS}/{pack}/ref/{net}/System.Runtime.dll"] if pack else []),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch(mode=0o755)


def link(root: Root, target: str) -> None:
    """Puts `dotnet` on a sandbox's PATH."""
    (root.folder / "usr/bin").mkdir(parents=True, exist_ok=True)
    (root.folder / "usr/bin/dotnet").symlink_to(target)


def found(root: Root) -> tuple[str, str, str]:
    """The SDK and the runtime that are found, and where `dotnet` is."""
    sdk = find_sdk(root)
    return ("", "", "") if sdk is None else (sdk.version, sdk.runtime, str(sdk.program))


# --- Which one -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [UBUNTU, MICROSOFT, FEDORA])
def test_an_sdk_is_found_where_packages_put_it(root: Root, place: str) -> None:
    lay(root, place, sdk="8.0.111", runtime="8.0.11", pack="8.0.11")
    assert found(root) == ("8.0.111", "8.0.11", f"/{place}/dotnet")


@pytest.mark.parametrize(
    ("sdks", "taken"),
    [
        (["7.0.410"], ""),
        (["8.0.100"], "8.0.100"),
        (["9.0.101", "10.0.100", "8.0.404"], "10.0.100"),
        (["8.0.99", "8.0.404", "8.0.111"], "8.0.404"),
        (["7.0.410", "8.0.100"], "8.0.100"),
        (["8.0.404", "9.0.100-preview.7.24407.12", "9.0.100-rc.2.24474.11"], "8.0.404"),
        (["9.0.100-rc.2.24474.11"], ""),
    ],
)
def test_the_newest_release_that_is_not_too_old_is_taken(root: Root, sdks: list[str], taken: str) -> None:
    for sdk in sdks:
        major = sdk.partition(".")[0]
        lay(root, UBUNTU, sdk=sdk, runtime=f"{major}.0.0" + ("-rc.2" if "-" in sdk else ""))
    assert found(root)[0] == taken


def test_what_dotnet_on_the_path_leads_to_comes_first_and_then_the_folders_in_order(root: Root) -> None:
    lay(root, FEDORA, sdk="8.0.100", runtime="8.0.0")
    lay(root, MICROSOFT, sdk="8.0.200", runtime="8.0.0")
    assert found(root)[0] == "8.0.200"
    lay(root, UBUNTU, sdk="8.0.300", runtime="8.0.0")
    assert found(root)[0] == "8.0.300"
    link(root, "../lib64/dotnet/dotnet")
    assert found(root) == ("8.0.100", "8.0.0", "/usr/lib64/dotnet/dotnet")


def test_a_folder_without_a_usable_sdk_is_passed_over(root: Root) -> None:
    lay(root, UBUNTU, sdk="7.0.100", runtime="7.0.0")
    link(root, "/usr/lib/dotnet/dotnet")
    lay(root, MICROSOFT, sdk="8.0.200", runtime="8.0.2")
    assert found(root) == ("8.0.200", "8.0.2", "/usr/share/dotnet/dotnet")


def test_it_may_be_anywhere_below_usr_but_not_where_sandboxes_do_not_see_it(root: Root) -> None:
    lay(root, "opt/dotnet", sdk="8.0.200", runtime="8.0.2")
    link(root, "/opt/dotnet/dotnet")
    assert found(root) == ("", "", "")
    assert "/usr/bin/dotnet leads to /opt/dotnet/dotnet" in why_not(root)
    (root.folder / "usr/bin/dotnet").unlink()
    lay(root, "usr/local/share/net", sdk="8.0.200", runtime="8.0.2")
    link(root, "../local/share/net/dotnet")
    assert found(root) == ("8.0.200", "8.0.2", "/usr/local/share/net/dotnet")


def test_compiler_and_bots_need_a_runtime_of_the_sdks_own_major_version(root: Root) -> None:
    lay(root, UBUNTU, sdk="10.0.100", runtime="9.0.4")
    assert found(root) == ("", "", "")
    lay(root, UBUNTU, sdk="9.0.101", runtime="9.0.10")
    assert found(root)[:2] == ("9.0.101", "9.0.10")


def test_references_are_the_pack_of_that_version_and_else_the_runtimes_own_libraries(root: Root) -> None:
    lay(root, UBUNTU, sdk="8.0.100", runtime="8.0.2", pack="9.0.0", net="net9.0")
    sdk = find_sdk(root)
    assert sdk is not None
    assert str(sdk.references) == "/usr/lib/dotnet/shared/Microsoft.NETCore.App/8.0.2"
    lay(root, UBUNTU, pack="8.0.1")
    lay(root, UBUNTU, pack="8.0.11")
    sdk = find_sdk(root)
    assert sdk is not None
    assert str(sdk.references) == "/usr/lib/dotnet/packs/Microsoft.NETCore.App.Ref/8.0.11/ref/net8.0"
    assert str(sdk.compiler) == "/usr/lib/dotnet/sdk/8.0.100/Roslyn/bincore/csc.dll"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({}, "in /usr/lib/dotnet, /usr/share/dotnet, /usr/lib64/dotnet; found none"),
        ({"runtime": "8.0.11"}, "/usr/lib/dotnet has the runtime 8.0.11 without an SDK"),
        ({"runtime": "7.0.20", "sdk": "7.0.410"}, "/usr/lib/dotnet has 7.0.410"),
        ({"runtime": "9.0.0-rc.2", "sdk": "9.0.100-rc.2"}, "complete and no preview; /usr/lib/dotnet has 9.0.100-rc.2"),
    ],
)
def test_why_there_is_none_is_said_with_what_to_install(root: Root, parts: dict[str, str], said: str) -> None:
    if parts:
        lay(root, UBUNTU, **parts)
    assert find_sdk(root) is None
    assert said in why_not(root)
    assert why_not(root).startswith(f"expected a .NET SDK, {OLDEST} or newer")
    assert why_not(root).endswith("Ubuntu has it as dotnet-sdk-8.0")


# --- The row ---------------------------------------------------------------------------------------------------------


def row(sdk: str = "8.0.404", runtime: str = "8.0.11") -> Language:
    return dotnet_row("/usr/lib/dotnet/dotnet", "/usr/lib/dotnet/csc.dll", "/usr/lib/dotnet/ref", sdk, runtime)


def test_only_csharp_has_another_row_where_dotnet_is(root: Root) -> None:
    assert as_here(CSHARP, root) is CSHARP
    lay(root, UBUNTU, sdk="8.0.404", runtime="8.0.11", pack="8.0.11")
    assert as_here(PYTHON, root) is PYTHON
    here = as_here(CSHARP, root)
    assert (here.id, here.source_name, here.artefact_name) == ("csharp", "bot.cs", "bot.dll")
    assert "/usr/lib/dotnet/sdk/8.0.404/Roslyn/bincore/csc.dll" in here.build


def test_a_build_by_mono_is_not_taken_for_one_by_dotnet_nor_one_by_another_sdk() -> None:
    files = {"bot.cs": b"class Player {}"}
    versions = {"Mono": CSHARP, ".NET SDK 8.0.404": row(), ".NET SDK 9.0.101": row("9.0.101", "9.0.0")}
    keys = {key_of(language, version, files, {}) for version, language in versions.items()}
    same_words = {key_of(language, "?", files, {}) for language in (CSHARP, row())}
    assert (len(keys), len(same_words)) == (3, 2)


def test_a_bot_runs_on_the_major_version_that_it_was_compiled_for() -> None:
    assert '"version": "9.0.0"' in dict(row("9.0.101", "9.0.4").beside)[CONFIG]


@pytest.mark.parametrize(
    ("versions", "name"),
    [
        ([], "C#"),
        ([".NET SDK 8.0.404, runtime 8.0.11"], "C# (.NET 8)"),
        (["Mono C# compiler version 6.8.0.105; Mono JIT compiler version 6.8.0.105"], "C# (Mono)"),
        (["Mono C# compiler version 6.8.0.105", ".NET SDK 8.0.404, runtime 8.0.11"], "C# (.NET 8 or Mono)"),
        ([".NET SDK 8.0.404, runtime 8.0.11", ".NET SDK 8.0.111, runtime 8.0.11"], "C# (.NET 8)"),
        (["what nobody expects"], "C#"),
    ],
)
def test_it_is_called_by_what_the_workers_say_that_they_have(versions: list[str], name: str) -> None:
    assert CSHARP.called(versions) == name
    assert PYTHON.called(versions) == "Python"


def test_a_compiler_that_does_not_start_is_missing_and_one_that_does_tells_its_versions(plain: Sandbox) -> None:
    works, broken = (dotnet_row(program, "csc.dll", "ref", "8.0.404", "8.0.11") for program in ("true", "false"))
    assert plain.version(works) == ".NET SDK 8.0.404, runtime 8.0.11"
    with pytest.raises(LanguageMissing, match="expected C#'s tools to print their versions"):
        plain.version(broken)


def test_mono_stays_where_there_is_no_sdk(isolated: Sandbox) -> None:
    need_mono(isolated)
    assert isolated.here(CSHARP) is CSHARP
    assert CSHARP.called([isolated.version(CSHARP)]) == "C# (Mono)"
    assert find_sdk(MACHINE) is None


# --- Where one is ----------------------------------------------------------------------------------------------------

USING = b"using System;\n"
A = b'class A { static void Main() { Console.WriteLine("A"); } }\n'
PLAYER = b'class Player { static void Main() { Console.WriteLine("Player"); } }\n'


def first_line(sandbox: Sandbox, source: bytes) -> str:
    with sandbox.start(patient(sandbox).build(CSHARP, source), reply_bytes=100) as bot:
        return bot.ask("hello\n", 10.0).line


def test_of_several_main_that_of_player_starts(isolated: Sandbox) -> None:
    need_dotnet(isolated)
    assert first_line(isolated, USING + A + PLAYER) == "Player"
    with pytest.raises(BuildFailed, match="CS0017"):
        patient(isolated).build(CSHARP, USING + A + A.replace(b"class A", b"class B"))


def test_the_usings_of_a_new_project_are_added_only_to_what_lacks_them(isolated: Sandbox) -> None:
    need_dotnet(isolated)
    assert first_line(isolated, A) == "A"
    own = b"Console.Write(); class Console { public static void Write() => System.Console.WriteLine(1); }"
    assert first_line(isolated, own) == "1"


def test_what_is_not_caught_is_in_the_log_with_its_line(isolated: Sandbox) -> None:
    need_dotnet(isolated)
    source = USING + b'class A { static void Main() {\n  throw new Exception("oops"); } }\n'
    with isolated.start(patient(isolated).build(CSHARP, source), reply_bytes=100) as bot:
        with pytest.raises(Crashed):
            bot.ask("hello\n", 10.0)
        said = bot.log()
    assert "System.Exception: oops" in said
    assert "bot.cs:line 3" in said


def test_threads_start_and_the_log_stays_quiet(isolated: Sandbox) -> None:
    need_dotnet(isolated)
    source = b"class A { static void Main() { var t = new System.Threading.Thread(() => System.Console.WriteLine(7));"
    with isolated.start(patient(isolated).build(CSHARP, source + b" t.Start(); t.Join(); } }"), reply_bytes=9) as bot:
        assert bot.ask("hello\n", 10.0).line == "7"
        assert bot.log() == ""
