"""The two listeners: one for agents, one for the operator, each on a socket, a port or both."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import stat
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

# Imported for its side effect: reflection serves what the descriptor pool holds.
from houseguest.agent.v1 import agent_pb2  # noqa: F401
from houseguest.control.v1 import control_pb2  # noqa: F401

from env_service.gateway.admission import CALLS, MOST_WAITING, AdmissionControl
from env_service.gateway.rpc import Context

_SCHEME = re.compile(
    r"(tcp|tcp4|tcp6|grpcs?|https?|dns|ipv4|ipv6):/{0,3}(\[[^\]]*\]:\d+|[^:/]+:\d+)/?"
)
"""What people write before host:port, and what they mean: the schemes of URLs, and of gRPC's own
names (https://grpc.github.io/grpc/core/md_doc_naming.html)."""


class ListenError(Exception):
    """An address cannot be listened on; the message says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files of a server's certificate chain and private key."""

    certificate: Path
    private_key: Path

    def credentials(self) -> grpc.ServerCredentials:
        """Raises ListenError for a file that cannot be read."""
        try:
            pair = (self.private_key.read_bytes(), self.certificate.read_bytes())
        except OSError as error:
            raise ListenError(f"TLS file cannot be read: {error}") from error
        return grpc.ssl_server_credentials([pair])


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one service listens.

    ``addresses`` are ``unix:/path`` or ``host:port`` (port 0: any free one). A port without
    TLS is refused unless the host is a loopback address or ``plaintext`` is set.
    """

    addresses: tuple[str, ...]
    tls: Tls | None = None
    plaintext: bool = False


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods of a service. ``who`` and ``calls``: see ``AdmissionControl.serve``."""

    service: str
    handlers: grpc.GenericRpcHandler
    who: Callable[[Context], Hashable]
    calls: int = CALLS


class Listener:
    """One gRPC server with health and reflection."""

    def __init__(self, methods: Methods, max_message_bytes: int, socket_mode: int) -> None:
        """``socket_mode``: the permissions of its Unix sockets, whatever the umask."""
        self._service, self._socket_mode = methods.service, socket_mode
        self._server = grpc.aio.server(options=_options(max_message_bytes))
        admission = AdmissionControl(self._server)
        admission.serve(methods.handlers, methods.who, methods.calls)
        self._health = health.aio.HealthServicer()  # type: ignore[attr-defined]
        health_pb2_grpc.add_HealthServicer_to_server(self._health, admission)  # type: ignore[no-untyped-call]
        names = (methods.service, "grpc.health.v1.Health", reflection.SERVICE_NAME)
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(  # type: ignore[no-untyped-call]
            reflection.aio.ReflectionServicer(names),  # type: ignore[no-untyped-call]
            admission,
        )
        admission.refuse_others()
        self._sockets: dict[Path, tuple[int, int]] = {}

    async def start(self, endpoint: Endpoint) -> list[str]:
        """Listens; returns the addresses that clients dial. Raises ListenError."""
        dialled = [self._bind(address, endpoint) for address in endpoint.addresses]
        await self._server.start()
        for name in ("", self._service):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return dialled

    async def stop(self, grace: float = 0.5) -> None:
        """Says goodbye to health watchers, ends every call after ``grace`` seconds. Idempotent."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace)
        for path, inode in self._sockets.items():
            if path.exists() and _inode(path) == inode:
                path.unlink()

    def _bind(self, address: str, endpoint: Endpoint) -> str:
        if address.startswith("unix:"):
            return self._bind_socket(Path(address.removeprefix("unix:")).absolute())
        if scheme := _SCHEME.fullmatch(address):
            raise ListenError(
                f"{address!r} is not an address: use {scheme[2]!r}, without {scheme[1]!r}, or"
                " unix:/path for a socket."
            )
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise ListenError(f"{address!r} is not an address: use unix:/path or host:port.")
        credentials = endpoint.tls.credentials() if endpoint.tls is not None else None
        if credentials is None and not (endpoint.plaintext or is_loopback(host)):
            raise ListenError(
                f"{address} would send tokens unencrypted. Give a TLS certificate and key"
                " (--tls-cert, --tls-key), or allow it with --plaintext."
            )
        try:
            if credentials is not None:
                bound = self._server.add_secure_port(address, credentials)
            else:
                bound = self._server.add_insecure_port(address)
        except RuntimeError as error:
            also = ", and that the TLS files are PEM" if credentials else ""
            raise ListenError(
                f"cannot listen on {address}: check that the port is free and the host is this"
                f" machine{also}."
            ) from error
        return f"{host}:{bound}"

    def _bind_socket(self, path: Path) -> str:
        if len(os.fsencode(path)) > 100:
            raise ListenError(f"{path} is too long for a Unix socket (100 bytes).")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                _remove_stale(path)
            self._server.add_insecure_port(f"unix:{path}")
            path.chmod(self._socket_mode)
            self._sockets[path] = _inode(path)
        except (OSError, RuntimeError) as error:
            raise ListenError(f"cannot listen on {path}: {error}") from error
        return f"unix:{path}"


def _inode(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _remove_stale(path: Path) -> None:
    """Removes a socket without a listener. Raises ListenError for anything else."""
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise ListenError(f"{path} exists and is not a socket; choose another path.")
    with socket.socket(socket.AF_UNIX) as probe:
        if probe.connect_ex(str(path)) == 0:
            raise ListenError(f"another process listens on {path}; choose another path.")
    path.unlink()


def is_loopback(host: str) -> bool:
    """Whether a host name or address, perhaps in brackets, is this machine's loopback."""
    host = host.strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _options(max_message_bytes: int) -> Sequence[tuple[str, int]]:
    return (
        ("grpc.max_receive_message_length", max_message_bytes),
        ("grpc.max_send_message_length", max_message_bytes),
        ("grpc.max_concurrent_streams", 128),
        # Of more than 1000 calls that came at once gRPC would refuse some by itself, at once: a
        # flood that is never slowed down.
        ("grpc.server.max_pending_requests", MOST_WAITING),
        ("grpc.server.max_pending_requests_hard_limit", 2 * MOST_WAITING),
        # Else gRPC grows the window for unread data to megabytes a stream.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", 8192),
        # None but "identity": a message of zeros that was packed costs its sender nothing.
        ("grpc.compression_enabled_algorithms_bitset", 1),
        # A peer that went away without a word is noticed within half a minute.
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
        # One that connects and says nothing is dropped.
        ("grpc.server_handshake_timeout_ms", 10_000),
        ("grpc.max_connection_idle_ms", 600_000),
        ("grpc.so_reuseport", 0),
    )
