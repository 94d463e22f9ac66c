"""The HTTP client of an endpoint: one whole answer, within a time and a size."""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import httpx

from .address import Address

MOST_BYTES = 64 * 1024 * 1024
"""The largest answer that is read. The longest replies have a hundredth of that."""
_CONNECT_SECONDS = 20.0


class ClientError(ValueError):
    """The environment asks for a client that cannot be: a proxy, or a file of certificates."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, decompressed."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def make_client(address: Address, headers: Mapping[str, str]) -> httpx.Client:
    """A client for a server, which goes through the proxies that the environment names unless
    the server is on this machine. Raises ClientError."""
    try:
        transport = None
        if address.socket:
            transport = httpx.HTTPTransport(uds=address.socket)
        elif _is_local(httpx.URL(address.chat).host):
            transport = httpx.HTTPTransport()
        return httpx.Client(headers=dict(headers), transport=transport)
    except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
        raise ClientError(
            f"no client can be made: {error}. Look at the variables HTTP_PROXY, HTTPS_PROXY,"
            " ALL_PROXY and SSL_CERT_FILE."
        ) from error


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def fetch(client: httpx.Client, method: str, url: str, *, seconds: float, **request: Any) -> Answer:
    """Sends a request (``request`` as for httpx) and reads its answer to the end.

    ``seconds`` bound the whole of the body, not each piece: a server may drip. Raises
    httpx.HTTPError, TimeoutException among them.
    """
    end = time.monotonic() + seconds
    timeout = httpx.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
    with client.stream(method, url, timeout=timeout, **request) as response:
        late = threading.Event()
        timer = threading.Timer(max(0.0, end - time.monotonic()), _cut, (response, late))
        timer.daemon = True
        timer.start()
        try:
            content = _read(response)
        except httpx.TransportError as error:
            if late.is_set():
                raise httpx.ReadTimeout("the answer came too slowly") from error
            raise
        finally:
            timer.cancel()
        return Answer(response.status_code, response.headers, content)


def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > MOST_BYTES:
            raise httpx.RemoteProtocolError(f"the answer is longer than {MOST_BYTES >> 20} MiB")
    return bytes(content)


def _cut(response: httpx.Response, late: threading.Event) -> None:
    """Wakes the thread that reads: nothing more comes from the connection."""
    late.set()
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if connection is not None:
        try:
            # An SSLSocket's own would take the encryption from under the reader.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError:
            return


def explain(error: httpx.HTTPError, address: Address) -> str:
    """Why an exchange failed; of a connection that could not be made, in plain words."""
    told = f"{type(error).__name__}: {error}"
    if not isinstance(error, httpx.ConnectError):
        return told
    why = _unreachable_socket if address.socket else _unreachable_machine
    return next(filter(None, (why(cause, address) for cause in _causes(error))), told)


def _unreachable_machine(cause: BaseException, _address: Address) -> str:
    if isinstance(cause, ConnectionRefusedError):
        return "the connection is refused, so nothing listens there"
    if isinstance(cause, socket.gaierror):
        return f"the name of its machine cannot be looked up ({cause.strerror})"
    return ""


def _unreachable_socket(cause: BaseException, address: Address) -> str:
    if isinstance(cause, FileNotFoundError):
        return (
            f"there is no socket {address.socket}: either the server has not started, or the"
            " folder of its socket is not this one"
        )
    if isinstance(cause, ConnectionRefusedError):
        return f"nobody listens on the socket {address.socket}: the server does not run"
    if isinstance(cause, PermissionError):
        return (
            f"user {os.geteuid()} may not connect to the socket {address.socket}: the server"
            " has to allow others to write to it, or to run as the same user"
        )
    return ""


def distrusts(error: BaseException) -> bool:
    """Whether a connection failed since TLS could not be agreed on: waiting changes nothing."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError)
        or (isinstance(cause, ssl.SSLError) and cause.reason == "WRONG_VERSION_NUMBER")
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, and those that led to it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
