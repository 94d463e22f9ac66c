"""Guests in containers of a real engine: what holds them in, how they end, what is left of them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import uvloop
from docker.client import DockerClient

import houseguest as hg
from env_service.sandbox.agent_output import LOG_BYTES
from env_service.sandbox.agents import AgentImage, parse_agent
from env_service.sandbox.docker.container import DockerAgent, owned
from env_service.sandbox.docker.engine import connect
from env_service.sandbox.docker.owner import OWNER_LABEL, Owner
from env_service.sandbox.docker.sandbox import DockerSandbox, open_docker
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.interface import AgentExit, AgentStart
from env_service.sandbox.options import MIB, AgentLimits, ReadOnlyMount, SandboxOptions
from tests.support.command_line import Ask, finish, houseguest, run_folder, until
from tests.support.docker import need_engine
from tests.support.guest_images import GuestImages, guest_images, random_image

SECONDS = 240.0
RUNTIME = "runc"
"""What every engine has; what others count and show differs."""


@pytest.fixture(scope="module")
def images() -> Iterator[GuestImages]:
    need_engine()
    with guest_images() as built:
        yield built


@pytest.fixture(scope="module")
def engine() -> Iterator[DockerClient]:
    need_engine()
    client = connect()
    yield client
    client.close()


@pytest.fixture
def seat(tmp_path: Path) -> AgentStart:
    """A seat in a service that nobody keeps; other users cannot look into what is around it."""
    tmp_path.chmod(0o700)
    folder = tmp_path / "agents"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "agent.sock").touch()
    return AgentStart(f"unix:{folder}/agent.sock", ("one", "two"), seed=5)


def open_image(image: str, *arguments: str, **options: Any) -> DockerSandbox:
    """A sandbox for an image."""
    guest = parse_agent(f"image:{image}", " ".join(arguments)).launch
    assert isinstance(guest, AgentImage)
    return open_docker(guest, SandboxOptions(runtime=RUNTIME, **options))


def play(scene: Coroutine[Any, Any, None]) -> None:
    """Runs a scene on the loop that the service runs on."""
    uvloop.run(asyncio.wait_for(scene, SECONDS))


def ending(sandbox: DockerSandbox, seat: AgentStart, log: Path) -> tuple[AgentExit, str]:
    """How a guest of a sandbox ended, and its last line. The sandbox is closed then."""
    seen: list[tuple[AgentExit, str]] = []

    async def scene() -> None:
        try:
            guest = await sandbox.start(seat, log)
            seen.append((await guest.wait(), guest.log_tail(1)))
            await guest.stop()
        finally:
            await sandbox.close()

    play(scene())
    return seen[0]


def mine(engine: DockerClient, process: subprocess.Popen[str]) -> list[str]:
    """Containers of a service that was started here."""
    return [name for name, owner in owned(engine).items() if owner.pid == process.pid]


def here(engine: DockerClient) -> list[str]:
    """Containers of this process."""
    return [name for name, owner in owned(engine).items() if owner.pid == os.getpid()]


def test_the_random_agent_plays_in_two_containers_and_for_python(
    place: Path, engine: DockerClient
) -> None:
    with random_image() as image:
        command = ["run", "--suite", "babyai", "--tasks", "GoToLocal", "--limit", "4"]
        guests = ["--agent", f"image:{image}", "--parallel", "2", "--env", "API_KEY=secret-1"]
        process = houseguest(place, *command, *guests)
        out, err = finish(process)
        known = engine.images.get(image).id or ""
        run = hg.evaluate(
            "babyai",
            f"image:{image}",
            tasks=["GoToLocal"],
            limit=1,
            out=place / "python",
            signing_key=place / "key.pem",
            progress=False,
        )
    assert (run.status, run.isolated, len(run)) == ("complete", True, 1)
    assert run.manifest.guest["image"]["id"] == known
    folder = run_folder(place)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["agent"] == f"image:{image}@sha256:{known.removeprefix('sha256:')[:12]}"
    assert manifest["guest"]["sandbox"] == "docker"
    assert manifest["guest"]["image"]["id"] == known
    assert manifest["guest"]["network"] == "none"
    assert manifest["guest"]["limits"]["pids"] == AgentLimits().pids
    assert "of 4" in out
    assert "Agent isolation: a Docker container" in err
    assert "no network" in err
    assert mine(engine, process) == []
    kept = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert not any(b"secret-1" in each for each in kept)


def test_an_image_that_is_missing_is_named(ask: Ask, images: GuestImages) -> None:
    run = ["run", "--suite", "babyai", "--limit", "1", "--agent"]
    _, err = ask(*run, "image:houseguest-test/no-such:1", code=1)
    assert "no image houseguest-test/no-such:1" in err
    assert "docker pull houseguest-test/no-such:1" in err
    with pytest.raises(ImageMissingError):
        open_image("houseguest-test/no-such:1")


@pytest.mark.parametrize(
    ("name", "words"),
    [("absent", "/no/such/program: No such file"), ("closed", "/guest.py: Permission denied")],
)
def test_an_entry_point_that_cannot_be_run_is_named(
    *,
    images: GuestImages,
    seat: AgentStart,
    tmp_path: Path,
    engine: DockerClient,
    name: str,
    words: str,
) -> None:
    async def scene() -> None:
        sandbox = open_image(getattr(images, name))
        try:
            with pytest.raises(AgentStartError, match=words):
                await sandbox.start(seat, tmp_path / "log")
            assert here(engine) == []
        finally:
            await sandbox.close()

    play(scene())


@pytest.mark.parametrize(
    ("what", "limits", "expected", "last"),
    [
        ("exits", {}, AgentExit(3), "I am leaving"),
        ("mumbles", {}, AgentExit(4), ""),
        ("eats", {"memory": 64 * MIB}, AgentExit(-9, out_of_memory=True), "I am hungry"),
        ("stays", {"seconds": 5.0}, AgentExit(-9, out_of_time=True), "I am staying"),
        ("floods", {}, AgentExit(0), "last words"),
    ],
)
def test_a_guest_ends(
    *,
    images: GuestImages,
    seat: AgentStart,
    tmp_path: Path,
    what: str,
    limits: dict[str, Any],
    expected: AgentExit,
    last: str,
) -> None:
    sandbox = open_image(images.obedient, what, limits=AgentLimits(**limits))
    assert ending(sandbox, seat, tmp_path / "log") == (expected, last)
    kept = sum(path.stat().st_size for path in tmp_path.glob("log*"))
    assert kept <= LOG_BYTES


def test_what_a_guest_finds_is_what_it_was_promised(
    images: GuestImages, seat: AgentStart, tmp_path: Path
) -> None:
    shown = tmp_path / "shown"
    shown.mkdir()
    shown.chmod(0o777)
    mount = ReadOnlyMount(shown, PurePosixPath("/mnt/shown"))
    key = {"API_KEY": "k"}
    sandbox = open_image(images.obedient, "looks", mounts=(mount,), environment=key)
    end, told = ending(sandbox, seat, tmp_path / "log")
    seen = json.loads(told)
    assert end == AgentExit(0)
    assert seen["user"] == [10001, 10001]
    assert seen["capabilities"] == ["0" * 16, "0" * 16]
    assert seen["no_new_privileges"] == "1"
    assert seen["writable"] == ["/data", "/tmp", "/dev/shm"]
    assert seen["house"] == ["agent.sock"]
    assert seen["interfaces"] == ["lo"]
    assert not seen["way_out"]
    told_to_it = seen["environment"]
    assert told_to_it["HOUSEGUEST_ADDRESS"] == "unix:/run/houseguest/agent.sock"
    assert told_to_it["HOUSEGUEST_TOKEN"] == "one"
    assert told_to_it["HOUSEGUEST_TOKENS"] == "one,two"
    assert told_to_it["HOUSEGUEST_SEED"] == "5"
    assert told_to_it["API_KEY"] == "k"


def test_a_guest_without_a_network_reaches_its_model_server_by_the_relay(
    images: GuestImages, seat: AgentStart, tmp_path: Path
) -> None:
    questions: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        questions.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        await writer.drain()
        writer.close()

    async def scene() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        guest = parse_agent(f"image:{images.obedient}", "asks").launch
        assert isinstance(guest, AgentImage)
        options = SandboxOptions(runtime=RUNTIME, model_server=f"http://127.0.0.1:{port}")
        sandbox = open_sandbox(guest, options)
        try:
            started = await sandbox.start(seat, tmp_path / "log")
            assert (await started.wait()).code == 0, started.log_tail()
            assert started.log_tail(1) == "200 hello"
            await started.stop()
        finally:
            await sandbox.close()
            server.close()

    play(scene())
    assert questions[0].startswith(b"GET /v1/models HTTP/1.1")


def test_the_engine_reports_the_settings_that_were_promised(
    images: GuestImages, seat: AgentStart, tmp_path: Path, engine: DockerClient
) -> None:
    limits = AgentLimits(memory=96 * MIB, cpus=0.5, pids=40, scratch=8 * MIB)

    async def scene() -> None:
        sandbox = open_image(images.together, "sleeps", limits=limits)
        try:
            assert sandbox.shared
            started = await sandbox.start(seat, tmp_path / "log")
            check(engine.api.inspect_container(started.container), limits)
            await stop_quickly(started)
            assert here(engine) == []
        finally:
            await sandbox.close()

    play(scene())


def check(seen: dict[str, Any], limits: AgentLimits) -> None:
    """What the engine says of a container of the image ``together``."""
    host, config = seen["HostConfig"], seen["Config"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"]
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert not host["Privileged"]
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    assert host["Memory"] == host["MemorySwap"] == limits.memory
    assert host["NanoCpus"] == limits.cpus * 1e9
    assert host["PidsLimit"] == limits.pids
    assert host["Init"]
    assert host["IpcMode"] == "private"
    assert host["LogConfig"]["Type"] == "none"
    assert host["RestartPolicy"]["Name"] == "no"
    assert not host["PortBindings"]
    assert not host["PublishAllPorts"]
    assert not host["Devices"]
    assert not host["DeviceRequests"]
    assert host["ShmSize"] <= 64 * MIB
    assert {"core", "nofile"} <= {each["Name"] for each in host["Ulimits"]}
    assert set(host["Tmpfs"]) == {"/tmp", "/data"}
    for flags in host["Tmpfs"].values():
        assert {"noexec", "nosuid", "nodev", f"size={limits.scratch}"} <= set(flags.split(","))
    assert [(each["Destination"], each["RW"]) for each in seen["Mounts"]] == [
        ("/run/houseguest", False)
    ]
    assert config["User"] == "4242:4243"
    assert config["Healthcheck"]["Test"] == ["NONE"]
    assert config["StopSignal"] == "SIGTERM"


async def stop_quickly(guest: DockerAgent) -> None:
    """Stops a guest that need not be asked."""
    await guest.stop(patience=0)


def test_a_guest_that_does_not_want_to_end_is_ended(
    images: GuestImages, seat: AgentStart, tmp_path: Path, engine: DockerClient
) -> None:
    async def scene() -> None:
        sandbox = open_image(images.obedient, "stays")
        guests = [await sandbox.start(seat, tmp_path / f"log{number}") for number in range(2)]
        await guests[0].stop(patience=0.2)
        assert await guests[0].wait() == AgentExit(-9)
        await guests[0].stop()
        assert here(engine) == [guests[1].container]
        # What nobody has stopped goes with the sandbox.
        await sandbox.close()
        await sandbox.close()
        assert here(engine) == []
        assert await guests[1].wait() == AgentExit(-9)

    play(scene())


def test_a_start_that_is_cancelled_leaves_nothing(
    images: GuestImages, seat: AgentStart, tmp_path: Path, engine: DockerClient
) -> None:
    async def scene() -> None:
        for pause in (0.0, 0.02, 0.2):
            sandbox = open_image(images.obedient, "sleeps")
            starting = asyncio.ensure_future(sandbox.start(seat, tmp_path / "log"))
            await asyncio.sleep(pause)
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            await sandbox.close()
            assert here(engine) == []

    play(scene())


def test_without_the_toolkit_a_guest_with_a_gpu_is_refused_with_a_remedy(
    images: GuestImages, seat: AgentStart, tmp_path: Path, engine: DockerClient
) -> None:
    if "nvidia" in engine.info().get("Runtimes", {}):
        pytest.skip("this engine has the toolkit")

    async def scene() -> None:
        sandbox = open_image(images.obedient, "exits", limits=AgentLimits(gpus="all"))
        try:
            with pytest.raises(AgentStartError, match="install nvidia-container-toolkit"):
                await sandbox.start(seat, tmp_path / "log")
        finally:
            await sandbox.close()
        assert here(engine) == []

    play(scene())


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_containers_go_with_the_service_however_it_went(
    place: Path, images: GuestImages, engine: DockerClient, sign: signal.Signals, code: int
) -> None:
    image = ["--agent", f"image:{images.obedient}", "--agent-args", "sleeps", "--parallel", "2"]
    process = houseguest(place, "run", "--suite", "babyai", "--limit", "2", *image)
    until(lambda: len(mine(engine, process)) == 2)
    process.send_signal(sign)
    finish(process, code=code)
    until(lambda: not mine(engine, process))


def test_what_a_service_has_left_behind_is_removed_at_the_next_start(
    images: GuestImages, engine: DockerClient
) -> None:
    # A process that is gone, as a service whose watchdog was killed with it.
    script = "from env_service.sandbox.docker.owner import Owner; print(Owner.myself().text)"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    gone = Owner.parse(told.stdout.decode().strip())
    assert gone is not None
    alive = Owner.myself()
    made = [
        engine.containers.create(images.obedient, ["sleeps"], labels=owner.labels)
        for owner in (gone, alive)
    ]
    try:
        asyncio.run(open_image(images.obedient, "exits").close())
        left = owned(engine)
        assert made[0].id not in left
        assert made[1].id in left
        assert made[1].labels[OWNER_LABEL] == alive.text
    finally:
        engine.api.remove_container(made[1].id, v=True)
