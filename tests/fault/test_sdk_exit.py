"""An agent's process ends, however it leaves, and however slow gRPC's threads are just then."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from houseguest_agent import Client, EpisodeStatus, HouseguestError
from houseguest_agent.options import Transport

from tests.support.fake_service import TOKEN, FakeService, Script, quick

SLOW_THREADS = """
import time
import grpc._channel

def slowly(event, state, deserializer, handle=grpc._channel._handle_event):
    callbacks = handle(event, state, deserializer)
    if state.code is not None:
        time.sleep(0.2)  # with the lock of the call, which the caller of this function holds
    return callbacks

grpc._channel._handle_event = slowly
"""
"""Makes certain what chance decides otherwise: the main thread is through before gRPC's are."""

AGENT = """
import signal, sys, threading
from houseguest_agent import Client, Options

signal.signal(signal.SIGINT, signal.default_int_handler)  # may have been inherited as ignored

client = Client("agent", options=Options(transport=sys.argv[1]))

def play(then=lambda: None):
    for episode in client.episodes():
        episode.act("forward")
        then()
        print("playing", flush=True)
        while episode.running:
            episode.act("forward")

def fail():
    raise RuntimeError("the agent's own fault")
"""

ALONE = "assert threading.enumerate() == [threading.main_thread()], threading.enumerate()"

WAYS = {
    "the block is left": (f"with client: play()\n{ALONE}", 0),
    "an exception leaves the block": ("with client: play(fail)", 1),
    "sys.exit in the block": ("with client: play(lambda: sys.exit(3))", 3),
    "an exception without a block": ("play(fail)", 1),
    "sys.exit without a block": ("play(lambda: sys.exit(3))", 3),
    "the exception is kept": ("try: play(fail)\nexcept RuntimeError as error: kept = error", 0),
    "the client is dropped": ("episode = next(client.episodes()); del client, episode", 0),
    "the client is never closed": ("episode = next(client.episodes()); episode.act('forward')", 0),
    "a thread plays on": (
        "playing = threading.Event()\n"
        "threading.Thread(target=play, args=(playing.set,), daemon=True).start()\n"
        "playing.wait()",
        0,
    ),
}

SIGNALS = {
    "SIGINT in the block": ("with client: play()", signal.SIGINT, -signal.SIGINT),
    "SIGINT without a block": ("play()", signal.SIGINT, -signal.SIGINT),
    "SIGINT that is caught": (
        "try: play()\nexcept KeyboardInterrupt as error: kept = error",
        signal.SIGINT,
        0,
    ),
    "SIGTERM": ("with client: play()", signal.SIGTERM, -signal.SIGTERM),
    "SIGTERM as sys.exit": (
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))\nplay()",
        signal.SIGTERM,
        4,
    ),
}


@contextmanager
def started(service: FakeService, transport: str, way: str) -> Iterator[subprocess.Popen[str]]:
    """An agent's process. Fails the test when it is still there in the end."""
    settings = {"HOUSEGUEST_ADDRESS": service.address, "HOUSEGUEST_TOKEN": TOKEN}
    command = [sys.executable, "-c", SLOW_THREADS + AGENT + way, transport]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env={**os.environ, **settings}, stdout=pipe, stderr=pipe, text=True
    ) as agent:
        try:
            yield agent
        finally:
            agent.kill()


@pytest.mark.parametrize(
    ("way", "transport"),
    [*((way, "play") for way in WAYS), ("an exception leaves the block", "unary")],
)
def test_a_process_that_ends_by_itself(tmp_path: Path, way: str, transport: str) -> None:
    program, status = WAYS[way]
    with (
        FakeService(tmp_path, Script(steps=5)) as service,
        started(service, transport, program) as agent,
    ):
        said, complaint = agent.communicate(timeout=60)
        assert agent.returncode == status, said + complaint


@pytest.mark.parametrize(
    ("way", "transport"),
    [*((way, "play") for way in SIGNALS), ("SIGINT in the block", "unary")],
)
def test_a_process_that_is_told_to_end(tmp_path: Path, way: str, transport: str) -> None:
    program, sent, status = SIGNALS[way]
    with (
        FakeService(tmp_path, Script(steps=1_000_000)) as service,
        started(service, transport, program) as agent,
    ):
        assert agent.stdout is not None
        assert agent.stdout.readline() == "playing\n"
        agent.send_signal(sent)
        said, complaint = agent.communicate(timeout=60)
        assert agent.returncode == status, said + complaint


def test_ctrl_c_while_the_client_is_closed(tmp_path: Path) -> None:
    program = "try: play()\nexcept KeyboardInterrupt: print('closing', flush=True); client.close()"
    with (
        FakeService(tmp_path, Script(steps=1_000_000)) as service,
        started(service, "play", program) as agent,
    ):
        assert agent.stdout is not None
        for expected in ("playing\n", "closing\n"):
            assert agent.stdout.readline() == expected
            agent.send_signal(signal.SIGINT)
        _, complaint = agent.communicate(timeout=60)
        assert agent.returncode == -signal.SIGINT, complaint


def test_a_client_that_is_closed_says_so(tmp_path: Path) -> None:
    with FakeService(tmp_path) as service:
        client = Client("agent", options=quick(service))
        with client:
            episode = next(client.episodes())
            client.close()
        episode.status = EpisodeStatus.RUNNING
        with pytest.raises(HouseguestError, match="The client is closed"):
            episode.act("forward")


@pytest.mark.parametrize("transport", ["play", "unary"])
def test_grpc_never_runs_on_the_thread_that_signal_handlers_interrupt(
    tmp_path: Path, transport: Transport
) -> None:
    seen = set()

    def look(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and "/grpc/" in frame.f_code.co_filename:
            seen.add(frame.f_code.co_name)

    # What earlier tests left would be collected on this thread at any moment.
    gc.collect()
    with FakeService(tmp_path, Script(episodes=2)) as service:
        client = Client("agent", options=quick(service, transport=transport))
        client.connect()
        sys.setprofile(look)
        try:
            for episode in client.episodes():
                service.drop_attach()
                while episode.running:
                    episode.act("forward")
            client.close()
        finally:
            sys.setprofile(None)
    assert len(service.executed) == 10
    assert seen == set()
