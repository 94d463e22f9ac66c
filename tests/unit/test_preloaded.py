"""A clone of the fork server is the process that a new interpreter would be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conformance.engine_kit import living_children
from tests.support import preloaded
from tests.support.command_line import houseguest

WHO = (sys.executable, "-m", "env_service", "--version")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # The path of a socket has at most 107 bytes, and pytest's folders have long names.
    with TemporaryDirectory(prefix="hg-") as folder, monkeypatch.context() as patch:
        patch.chdir(folder)
        yield


def _both(*words: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """What a command did as a clone, after checking that a new interpreter does the same."""
    command = (sys.executable, "-m", "env_service", *words)
    with preloaded.allowed(False):
        fresh = subprocess.run(command, capture_output=True, text=True, check=False, **settings)  # type: ignore[call-overload]
    clone = subprocess.run(command, capture_output=True, text=True, check=False, **settings)  # type: ignore[call-overload]
    assert (clone.returncode, clone.stdout, clone.stderr) == (
        fresh.returncode,
        fresh.stdout,
        fresh.stderr,
    )
    result: subprocess.CompletedProcess[str] = clone
    return result


def test_output_and_status_are_the_same() -> None:
    assert _both("--version").returncode == 0
    assert _both("nonsense").returncode == 2
    assert _both("tasks", "--suite", "babyai", "--json").returncode == 0


def test_a_folder_and_a_variable_of_its_own_are_the_commands(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    plugin = tmp_path / "else"
    plugin.mkdir()
    (plugin / "strange.py").write_text("raise ImportError('found in its folder')\n")
    words = ("tasks", "--suite", "strange:Suite")
    done = _both(*words, cwd=tmp_path / "here", env={**os.environ, "PYTHONPATH": str(plugin)})
    assert "found in its folder" in done.stderr


def test_it_is_a_child_that_is_waited_for_and_signalled() -> None:
    before = living_children()
    process = houseguest(Path.cwd(), "serve", "--json", "--agents", "unix:agents.sock")
    assert process.stdout is not None
    assert "launch" in process.stdout.readline()
    assert b"preloaded" in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    assert living_children() - before == {process.pid}
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert living_children() <= before


def test_a_descriptor_has_the_number_that_it_was_passed_under() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb"), os.fdopen(reading, "rb"):
        for number in range(198, 206):
            passed = os.dup2(reading, number)
            tied = ("-m", "env_service.sandbox.die_with_parent", str(passed), "true")
            done = subprocess.run(
                (sys.executable, *tied), pass_fds=(passed,), capture_output=True, check=False
            )
            os.close(passed)
            assert (done.returncode, done.stderr) == (0, b"")


def test_a_folder_that_stands_in_for_a_module_is_imported_from(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('not the real one')\n")
    done = subprocess.run(WHO, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "not the real one" in done.stderr


@pytest.mark.new_processes
def test_a_marked_test_has_new_interpreters() -> None:
    process = houseguest(Path.cwd(), "serve", "--json", "--agents", "unix:agents.sock")
    assert process.stdout is not None
    assert "launch" in process.stdout.readline()
    assert b"preloaded" not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.parametrize(
    "program",
    [
        "import os; print(sys.argv, sys.path[0], os.getcwd(), __name__, __spec__, __builtins__)",
        "print(__file__, file=sys.stderr); sys.exit(3)",
        "sys.exit('no idea')",
        "def deep():\n    raise OSError('its own')\ndeep()",
        "raise KeyboardInterrupt",
        "import atexit; atexit.register(print, 'over'); print('begun', end=' ')",
        "import threading; threading.Timer(0.1, print, ['late']).start()",
        "import os; os.kill(os.getpid(), 11)",
        "import",
        "import houseguest_agent, stranger; print(houseguest_agent.__name__, stranger.NAME)",
    ],
    ids=range(10),
)
@pytest.mark.parametrize("kind", ["script", "text", "shadow"])
def test_an_agent_is_the_same(tmp_path: Path, program: str, kind: str) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "agent.py").write_text(f"import sys\n{program}")
    (tmp_path / "stranger.py").write_text("NAME = 'in its folder'")
    (folder / "stranger.py").write_text("NAME = 'beside the script'")
    if kind == "shadow":
        (folder / "houseguest_agent.py").write_text("")
    words = ("-c", f"import sys\n{program}") if kind == "text" else ("agent/agent.py",)
    reading, writing = os.pipe()
    command = (sys.executable, "-m", "env_service.sandbox.die_with_parent", str(reading))
    seen = []
    for clone in (False, True):
        with preloaded.allowed(clone):
            done = subprocess.run(
                (*command, sys.executable, *words, "--seed", "7"),
                pass_fds=(reading,),
                capture_output=True,
                check=False,
                text=True,
                start_new_session=True,
            )
        seen.append((done.returncode, done.stdout, done.stderr))
    os.close(reading)
    os.close(writing)
    assert seen[0] == seen[1]
