"""Where a service listens: sockets, ports, TLS, and what is left when it closes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from houseguest.control.v1 import control_pb2, control_pb2_grpc

from env_service.gateway.grpc_server import GrpcServer
from env_service.gateway.listeners import Endpoint, Listener, ListenError, Methods, Tls
from tests.conformance.engine_kit import is_alive
from tests.support.command_line import until
from tests.support.listening import listening_server, self_signed
from tests.support.service import LAB, RawAgent, bearer, open_service, skill

ROOT = Path(__file__).resolve().parents[2]
AGENTS = "houseguest.agent.v1.AgentService"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SECONDS = 120.0
Serve = Callable[..., "subprocess.Popen[str]"]
"""Starts ``houseguest serve`` with these arguments."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, as Unix sockets need it."""
    with TemporaryDirectory(prefix="hg-") as name:
        yield Path(name)


async def health(channel: grpc.aio.Channel) -> int:
    """What the agents' listener says of itself over a channel, which is closed then."""
    async with channel:
        request = health_pb2.HealthCheckRequest(service=AGENTS)
        stub = health_pb2_grpc.HealthStub(channel)  # type: ignore[no-untyped-call]
        return int((await stub.Check(request, timeout=SECONDS)).status)


async def plain(address: str) -> int:
    return await health(grpc.aio.insecure_channel(address))


def during(service: GrpcServer, scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Plays a scene while the service is open."""

    async def play() -> None:
        async with service:
            await scene()

    asyncio.run(play())


def left_in(folder: Path) -> set[str]:
    """What a service that has closed left beside its key and its runs."""
    return {path.name for path in folder.iterdir()} - {"key.pem", "runs"}


class TestAddresses:
    def test_one_session_may_use_the_socket_and_the_port(self) -> None:
        with open_service() as service:
            run = service.open_run(limit=1)
            agent = service.agent(run)
            agent.begin()
            unix, port = service.server.agent_addresses
            assert unix.startswith("unix:/")
            over_tcp = RawAgent(port, service.token(run))
            over_tcp.grant, over_tcp.episode = agent.grant, agent.episode
            first = over_tcp.step(skill("noop"))
            assert agent.repeat(skill("noop"), 0) == first
            agent.index = 1
            agent.step(skill("win"))
            over_tcp.close()
            agent.close()

    @pytest.mark.parametrize(
        ("address", "said"),
        [
            ("0.0.0.0:0", "unencrypted"),
            ("[::]:0", "unencrypted"),
            ("example.org:7000", "unencrypted"),
            ("7000", "unix:/path or host:port"),
            (
                "tcp:127.0.0.1:7000",
                "use '127.0.0.1:7000', without 'tcp'",
            ),
            ("http://[::1]:7000/", r"use '\[::1\]:7000', without 'http'"),
            ("127.0.0.1:port", "unix:/path or host:port"),
            ("unix:{folder}/" + "x" * 100, "too long"),
            ("unix:{folder}/notes", "exists and is not a socket"),
            ("unix:{folder}", "exists and is not a socket"),
            ("127.0.0.1:{taken}", "check that the port is free"),
            ("127.0.0.1:99999", "unix:/path or host:port"),
        ],
    )
    def test_a_bad_one_is_refused_and_nothing_stays_open(
        self, folder: Path, address: str, said: str
    ) -> None:
        (folder / "notes").write_text("keep me", encoding="utf-8")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = address.format(folder=folder, taken=taken.getsockname()[1])
            with pytest.raises(ListenError, match="(?s)" + said.replace("?", r"\?")) as caught:
                asyncio.run(listening_server(folder, f"unix:{folder}/good.sock", address).start())
        assert address.removeprefix("unix:") in str(caught.value)
        assert left_in(folder) == {"notes"}
        assert (folder / "notes").read_text(encoding="utf-8") == "keep me"

    def test_plaintext_beyond_this_host_has_to_be_allowed(self, folder: Path) -> None:
        service = listening_server(folder, "0.0.0.0:0", plaintext=True)

        async def scene() -> None:
            (address,) = service.agent_addresses
            port = address.rpartition(":")[2]
            assert await plain(f"127.0.0.1:{port}") == SERVING

        during(service, scene)

    def test_a_socket_that_a_dead_service_left_is_replaced(self, folder: Path) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(folder / "agent.sock"))
        service = listening_server(folder, f"unix:{folder}/agent.sock")

        async def scene() -> None:
            assert await plain(f"unix:{folder}/agent.sock") == SERVING

        during(service, scene)

    def test_the_sockets_folder_is_made_and_the_socket_is_taken_away(self, folder: Path) -> None:
        path = folder / "deep" / "er" / "agent.sock"
        service = listening_server(folder, f"unix:{path}")

        async def scene() -> None:
            assert stat.S_ISSOCK(path.stat().st_mode)

        during(service, scene)
        assert not path.exists()
        assert left_in(folder) == {"deep"}


def test_every_user_may_call_as_an_agent_and_the_owner_alone_as_the_operator(folder: Path) -> None:
    async def modes() -> list[int]:
        async with listening_server(folder, f"unix:{folder}/agent.sock"):
            names = ("agent.sock", "control.sock")
            return [stat.S_IMODE((folder / name).stat().st_mode) for name in names]

    # An agent in a container is another user; its token says who it is.
    assert asyncio.run(modes()) == [0o666, 0o600]


def test_health_watchers_hear_that_the_service_closes(folder: Path) -> None:
    service = listening_server(folder, f"unix:{folder}/agent.sock")

    async def scene() -> list[int]:
        await service.start()
        async with grpc.aio.insecure_channel(f"unix:{folder}/agent.sock") as channel:
            request = health_pb2.HealthCheckRequest(service=AGENTS)
            watch = health_pb2_grpc.HealthStub(channel).Watch(request, timeout=SECONDS)  # type: ignore[no-untyped-call]
            told = [int((await watch.read()).status)]
            stopping = asyncio.ensure_future(service.stop())
            told.append(int((await watch.read()).status))
            await stopping
            with pytest.raises(grpc.RpcError) as caught:
                await health(grpc.aio.insecure_channel(f"unix:{folder}/agent.sock"))
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
            await service.stop()
            return told

    assert asyncio.run(scene()) == [SERVING, NOT_SERVING]


@pytest.fixture(scope="module")
def tls() -> Iterator[Tls]:
    with TemporaryDirectory(prefix="hg-") as name:
        yield self_signed(Path(name))


class TestTls:
    def test_a_client_that_trusts_the_certificate_is_served(self, folder: Path, tls: Tls) -> None:
        service = listening_server(folder, "127.0.0.1:0", f"unix:{folder}/agent.sock", tls=tls)

        async def scene() -> None:
            port, unix = service.agent_addresses
            root = grpc.ssl_channel_credentials(tls.certificate.read_bytes())
            assert await health(grpc.aio.secure_channel(port, root)) == SERVING
            assert await plain(unix) == SERVING
            strangers = (
                grpc.aio.insecure_channel(port),
                grpc.aio.secure_channel(port, grpc.ssl_channel_credentials()),
            )
            for stranger in strangers:
                with pytest.raises(grpc.RpcError) as caught:
                    await health(stranger)
                assert caught.value.code() is grpc.StatusCode.UNAVAILABLE

        during(service, scene)

    def test_with_it_a_port_may_be_open_to_all(self, folder: Path, tls: Tls) -> None:
        service = listening_server(folder, "0.0.0.0:0", tls=tls)

        async def scene() -> None:
            port = service.agent_addresses[0].rpartition(":")[2]
            root = grpc.ssl_channel_credentials(tls.certificate.read_bytes())
            assert await health(grpc.aio.secure_channel(f"127.0.0.1:{port}", root)) == SERVING

        during(service, scene)

    def test_a_missing_file_is_named(self, folder: Path, tls: Tls) -> None:
        lost = Tls(folder / "lost.pem", tls.private_key)
        with pytest.raises(ListenError, match=r"lost\.pem"):
            asyncio.run(listening_server(folder, "127.0.0.1:0", tls=lost).start())


class TestServe:
    """``houseguest serve`` as a process of its own."""

    @pytest.fixture
    def serve(self, folder: Path) -> Iterator[Serve]:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder / "home")}
        started: list[subprocess.Popen[str]] = []

        def start(*arguments: str) -> subprocess.Popen[str]:
            command = [sys.executable, "-m", "env_service", "serve", *arguments]
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True
            )
            started.append(process)
            return process

        yield start
        for process in started:
            with process:
                process.kill()

    def test_it_says_where_it_is_and_closes_when_it_is_told(
        self, folder: Path, serve: Serve
    ) -> None:
        tokens = []
        for sign in (signal.SIGTERM, signal.SIGINT):
            service = serve(
                "--json", "--agents", "unix:a.sock", "--control", "unix:c.sock", "--drain", "1"
            )
            assert service.stdout is not None
            opened = json.loads(service.stdout.readline())
            assert opened["event"] == "launch"
            assert opened["agents"] == [f"unix:{folder}/a.sock"]
            token_file = folder / opened["operator_token_file"]
            assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
            tokens.append(token_file.read_text(encoding="utf-8").strip())
            agent = self.play(opened, tokens[-1])
            workers = children(service.pid)
            assert workers
            service.send_signal(sign)
            out, err = service.communicate(timeout=SECONDS)
            assert (service.returncode, out) == (0, ""), err
            assert "Traceback" not in err
            assert [event.revoked.reason for event in agent.events][-1] == "DRAINING"
            agent.close()
            # Python's own process beside the workers ends once it sees that the service has.
            until(lambda left=workers: not any(map(is_alive, left)), seconds=10)
            assert not (folder / "a.sock").exists()
            assert not (folder / "c.sock").exists()
        assert tokens[0] == tokens[1]

    def play(self, opened: dict[str, Any], token: str) -> RawAgent:
        """An agent of a new run, in the middle of an episode."""
        with grpc.insecure_channel(opened["control"][0]) as channel:
            request = control_pb2.CreateRunRequest(request_id="r", suite=LAB, limit=2)
            created = control_pb2_grpc.ControlServiceStub(channel).CreateRun(
                request, metadata=bearer(token), timeout=SECONDS
            )
        agent = RawAgent(opened["agents"][0], created.lease_tokens[0])
        agent.attach()
        agent.begin()
        agent.step(skill("noop"))
        return agent

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--agents", "0.0.0.0:0"], "TLS"),
            (["--agents", "unix:a.sock", "--tls-cert", "chain.pem"], "--tls-key"),
        ],
    )
    def test_what_it_cannot_do_it_says(self, serve: Serve, arguments: list[str], said: str) -> None:
        service = serve(*arguments)
        _, err = service.communicate(timeout=SECONDS)
        assert service.returncode == 2
        assert said in err
        assert "Traceback" not in err


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still run."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def test_a_socket_that_somebody_listens_on_is_not_taken_away() -> None:
    with open_service() as first:
        path = first.address.removeprefix("unix:")

        async def start() -> None:
            listener = Listener(
                Methods("x", grpc.method_handlers_generic_handler("x", {}), str), 1024, 0o600
            )
            await listener.start(Endpoint((f"unix:{path}",)))

        with pytest.raises(ListenError, match="another process listens"):
            first.call(start())
        assert Path(path).exists()
        first.agent(first.open_run(limit=1)).play_out()
