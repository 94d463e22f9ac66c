"""Starts the bridge: as the agent of a run, for outside clients, or for one client over stdio."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from ipaddress import ip_address

import uvicorn
from houseguest_agent import HouseguestError, Options, SetupError

from .server import http_app, make_server, serve_stdio
from .session import BridgedSession

MOST_SESSIONS = 1024
"""Sessions that one bridge holds at a time; a call with a further token is refused."""
EXAMPLES = """\
examples:
  python agent.py --stdio                         one client, HOUSEGUEST_TOKEN's session
  python agent.py --mcp-listen 127.0.0.1:8765     clients whose bearer tokens are lease tokens
"""


def main() -> int:
    """Serves until the episodes are played, the client leaves or Ctrl-C; returns the exit status.

    0: done. 1: the service could not be reached. 2: the command line is wrong.
    """
    parser = _parser()
    arguments = parser.parse_args()
    host = arguments.mcp_listen[0]
    if not (arguments.stdio or arguments.mcp_plaintext or _is_loopback(host)):
        parser.error(
            f"{host} is reachable from other machines, and this server has no TLS: put a proxy with"
            " TLS in front of a loopback address, or allow it with --mcp-plaintext"
        )
    name = arguments.client_name or "mcp"
    tokens = [each for each in os.environ.get("HOUSEGUEST_TOKENS", "").split(",") if each]
    try:
        if arguments.stdio:
            return _stdio(name)
        if tokens:
            return _http(arguments.mcp_listen, _Given(name, tokens))
        return _http(arguments.mcp_listen, _Leased(name, as_json=arguments.json))
    except HouseguestError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Serves episodes as MCP tools.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="serve one client over stdio")
    where.add_argument(
        "--mcp-listen", metavar="HOST:PORT", default=("127.0.0.1", 0), type=_address,
        help="serve streamable HTTP at this address (default: 127.0.0.1, a free port)",
    )  # fmt: skip
    parser.add_argument(
        "--mcp-plaintext", action="store_true",
        help="allow an address beyond this host: tokens and observations travel unencrypted",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the server's URL as JSON")
    parser.add_argument("--client-name", metavar="NAME", help="recorded as the agent's name")
    return parser


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8765")
    return host.strip("[]"), int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Given:
    """The sessions of a run that started this process: each has a token for its client, from which
    nobody can compute the lease token."""

    def __init__(self, name: str, tokens: Sequence[str]) -> None:
        self._sessions = {
            client_token(each): BridgedSession(name, Options(token=each)) for each in tokens
        }

    def find(self, token: str) -> BridgedSession | None:
        return self._sessions.get(token)

    def announce(self, url: str) -> None:
        for number, token in enumerate(self._sessions, 1):
            print(
                f"notice: MCP client {number} of {len(self._sessions)}: {url}"
                f" with the header `Authorization: Bearer {token}`",
                flush=True,
            )

    def wait(self) -> None:
        """Until every session is over."""
        for each in self._sessions.values():
            each.over.wait()

    def close(self) -> None:
        for each in self._sessions.values():
            with suppress(HouseguestError):
                each.close()


class _Leased:
    """Sessions of clients that bring their lease tokens themselves."""

    def __init__(self, name: str, *, as_json: bool) -> None:
        if not Options().address:
            raise SetupError("No service address. Set HOUSEGUEST_ADDRESS to host:port.")
        self._name, self._as_json = name, as_json
        self._lock = threading.Lock()
        self._sessions: dict[str, BridgedSession] = {}

    def find(self, token: str) -> BridgedSession | None:
        with self._lock:
            if token and token not in self._sessions:
                over = [key for key, each in self._sessions.items() if each.over.is_set()]
                for key in over:
                    self._sessions.pop(key).close()
                if len(self._sessions) >= MOST_SESSIONS:
                    # Tokens that opened nothing must not keep others out.
                    self._sessions = {
                        k: each for k, each in self._sessions.items() if each.connected
                    }
                if len(self._sessions) >= MOST_SESSIONS:
                    return None
                self._sessions[token] = BridgedSession(self._name, Options(token=token))
            return self._sessions.get(token)

    def announce(self, url: str) -> None:
        text = f"MCP server: {url} (bearer token: the lease token of a session)"
        print(json.dumps({"url": url}) if self._as_json else text, flush=True)

    def wait(self) -> None:
        threading.Event().wait()

    def close(self) -> None:
        with self._lock:
            for each in self._sessions.values():
                with suppress(HouseguestError):
                    each.close()


def client_token(lease: str) -> str:
    """The token that a client of the bridge shows for a session: 32 hex digits."""
    return hashlib.sha256(b"houseguest-mcp:" + lease.encode()).hexdigest()[:32]


def _stdio(name: str) -> int:
    options = Options()
    options.check()
    session = BridgedSession(name, options)
    try:
        asyncio.run(serve_stdio(make_server(_version(), lambda _token: session)))
    finally:
        session.close()
    return 0


def _http(address: tuple[str, int], sessions: _Given | _Leased) -> int:
    host, port = address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        port = listening.getsockname()[1]
        app = http_app(make_server(_version(), sessions.find), host)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))

        def finish() -> None:
            sessions.wait()
            server.should_exit = True

        threading.Thread(target=finish, daemon=True).start()
        shown = f"[{host}]" if ":" in host else host
        sessions.announce(f"http://{shown}:{port}/mcp")
        try:
            server.run(sockets=[listening])
        finally:
            sessions.close()
    return 0


def _version() -> str:
    try:
        return version("houseguest-agent")
    except PackageNotFoundError:
        return "0"
