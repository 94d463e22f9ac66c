"""X displays for AI2-THOR's player on real X servers: good ones, bad ones, and orphans."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import xserver
from env_service.worlds.ai2thor_unity.graphics.displays import display_for, survey
from env_service.worlds.ai2thor_unity.graphics.xserver import DisplayName
from env_service.worlds.ai2thor_unity.graphics.xvfb import Xvfb
from env_service.worlds.ai2thor_unity.settings import ThorSettings
from env_service.worlds.base import WorldUnavailableError
from tests.support.ai2thor_adapter import gone, group

pytestmark = pytest.mark.skipif(
    shutil.which("Xvfb") is None, reason="there is no Xvfb (Debian: apt-get install xvfb)"
)

PATIENCE = 60.0
"""Seconds for an X server to come or to go on a busy machine."""
OWNER = """
import time
from env_service.worlds.ai2thor_unity.graphics.xvfb import Xvfb
server = Xvfb(64, 48)
print(server.name, server.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)


@contextmanager
def server(*options: str) -> Iterator[str]:
    """A plain Xvfb, by its display's name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp", "-noreset", *options]
    process = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as file:
            number = file.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(PATIENCE)


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.05)


def refused(display: str) -> str:
    with pytest.raises(WorldUnavailableError) as caught:
        display_for(ThorSettings(display=display), 800, 600)
    return str(caught.value)


def test_an_own_server_is_fit_and_leaves_nothing() -> None:
    display = display_for(ThorSettings(display=""), 1600, 1200)
    try:
        name = DisplayName.parse(display.name)
        found = xserver.look(name)
        assert display.own
        assert (found.screens[0].width, found.screens[0].height) == (1600, 1200)
        assert (found.screens[0].depth, found.glx, found.private) == (24, True, True)
        assert survey(ThorSettings(display=display.name), 1600, 1200).name == display.name
        assert survey(ThorSettings(), 300, 300).name != display.name
    finally:
        display.stop()
        display.stop()
    assert xserver.look(name).fault == "no server answers"
    assert not name.socket_path.exists()


def test_an_own_server_that_was_killed_leaves_nothing() -> None:
    display = Xvfb(64, 48)
    for process in group(display.pid):
        if Path(f"/proc/{process}/comm").read_text().strip() == "Xvfb":
            os.kill(process, signal.SIGKILL)
    eventually(lambda: xserver.look(display.name).fault == "no server answers")
    display.stop()
    assert not display.name.socket_path.exists()
    assert gone(display.pid)


def test_servers_started_at_once_get_displays_of_their_own() -> None:
    servers = [Xvfb(64, 48) for _ in range(2)]
    try:
        assert len({each.name for each in servers}) == 2
    finally:
        for each in servers:
            each.stop()


def test_ai2thor_finds_our_display_valid() -> None:
    platform = pytest.importorskip("ai2thor.platform")
    display = display_for(ThorSettings(), 1280, 1024)
    try:
        request = platform.Request("Linux", 1280, 1024, display.name, False)
        assert platform.Linux64.validate(request) == []
    finally:
        display.stop()


def test_colours_of_16_bits_are_refused() -> None:
    with server("-screen", "0", "1280x1024x16") as display:
        assert "16 bits, and need 24" in refused(display)


def test_a_small_screen_is_refused() -> None:
    with server("-screen", "0", "640x480x24") as display:
        assert "640x480 pixels is too small for pictures of 800x600" in refused(display)


def test_a_server_without_glx_is_refused() -> None:
    with server("-screen", "0", "1280x1024x24", "-extension", "GLX") as display:
        assert "lacks the extension GLX" in refused(display)


def test_a_server_that_asks_for_a_cookie_is_refused(tmp_path: Path) -> None:
    authority = tmp_path / "authority"
    fields = (b"", b"", b"MIT-MAGIC-COOKIE-1", b"0123456789abcdef")
    packed = b"".join(len(each).to_bytes(2, "big") + each for each in fields)
    authority.write_bytes(b"\xff\xff" + packed)
    with server("-screen", "0", "1280x1024x24", "-auth", str(authority)) as display:
        os.environ.pop("XAUTHORITY", None)
        assert "XAUTHORITY" in refused(display)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XAUTHORITY", str(authority))
            assert survey(ThorSettings(display=display), 800, 600).fault == ""


def test_a_server_that_died_or_hangs_is_refused() -> None:
    with server("-screen", "0", "1280x1024x24") as display:
        running = DisplayName.parse(display)
        pid = server_of(running)
        os.kill(pid, signal.SIGSTOP)
        assert "does not answer within 0.5 s" in xserver.look(running, seconds=0.5).fault
        os.kill(pid, signal.SIGCONT)
    assert "no server answers" in refused(display)


def server_of(display: DisplayName) -> int:
    """The process that serves a display."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(display.socket_path))
        data = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    pid: int = struct.unpack("3i", data)[0]
    return pid


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_an_own_server_dies_with_its_owner(end: signal.Signals) -> None:
    root = str(Path(__file__).resolve().parents[2])
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
        text=True,
    )
    assert owner.stdout is not None
    with owner.stdout as output:
        name, keeper = output.readline().split()
    owner.send_signal(end)
    owner.wait(PATIENCE)

    display = DisplayName.parse(name)
    eventually(lambda: xserver.look(display).fault == "no server answers")
    eventually(lambda: not display.socket_path.exists())
    eventually(lambda: not Path(f"/proc/{keeper}").exists() or is_zombie(int(keeper)))


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_a_server_that_was_killed_is_tidied_up() -> None:
    own = Xvfb(64, 48)
    os.kill(server_of(own.name), signal.SIGKILL)
    eventually(lambda: xserver.look(own.name).fault == "no server answers")

    own.stop()

    assert not own.name.socket_path.exists()


def test_an_xvfb_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "Xvfb"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    program.write_text("#!/bin/sh\necho 'Fatal server error: no fonts' >&2; exit 1\n")
    program.chmod(0o755)
    with pytest.raises(WorldUnavailableError, match="Fatal server error: no fonts"):
        Xvfb(64, 48)

    program.write_text("#!/bin/sh\nexec sleep 600\n")
    with pytest.raises(WorldUnavailableError, match="did not come up in"):
        Xvfb(64, 48, seconds=0.3)
