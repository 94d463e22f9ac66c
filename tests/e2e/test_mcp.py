"""Runs that MCP clients play, over HTTP and over standard input and output."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import LAB, Ask, done, finish, houseguest, run_folder, until
from tests.support.extras import extra_module

extra_module("mcp", "houseguest[mcp]", "REQUIRE_EXPORTS")

import httpx2  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

TWO = ("--suite", LAB, "--limit", "2")
NOTICE = re.compile(r"MCP client (\d) of (\d): (http://\S+) with the header `(\w+): (Bearer \w+)`")


async def win_all(client: Client) -> int:
    """Wins every episode, and returns how many there were."""
    for number in range(100):
        begun = (await client.call_tool("begin", {})).content[0].text  # type: ignore[union-attr]
        if "No episode is left" in begun:
            return number
        episode = re.search(r"^Episode: (\S+)$", begun, re.MULTILINE)
        assert episode is not None
        call = {"episode": episode[1], "step": 0, "skill": "win"}
        result = await client.call_tool("act", call)
        assert not result.is_error
    raise AssertionError("the run does not end")


async def over_http(url: str, headers: Mapping[str, str], work: Any) -> Any:
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        return await work(client)


def test_clients_of_a_run_play_over_http(place: Path, ask: Ask) -> None:
    run = houseguest(place, "run", *TWO, "--agent", "mcp", "--parallel", "2", "--json")
    log = place / "runs"
    said: list[str] = []

    def announced() -> bool:
        said[:] = [path.read_text() for path in log.glob("*/logs/guest-*.log")]
        return "".join(said).count("notice: MCP client") == 2

    until(announced)
    clients = NOTICE.findall("".join(said))
    assert [number for number, *_ in clients] == ["1", "2"]
    url = clients[0][2]

    async def refused(client: Client) -> str:
        result = await client.call_tool("begin", {})
        assert result.is_error
        return str(result.content[0].text)  # type: ignore[union-attr]

    for header in ({}, {"Authorization": "Bearer 0000"}):
        assert "This token opens no session" in asyncio.run(over_http(url, header, refused))
    assert httpx2.post(url, content=b"x" * 3_000_000).status_code == 413

    async def both() -> list[int]:
        each = (over_http(url, {name: token}, win_all) for *_, name, token in clients)
        return list(await asyncio.gather(*each))

    assert sum(asyncio.run(both())) == 2
    out, _ = finish(run)
    assert done(out)["summary"]["overall"]["successes"] == 2
    ask("verify", str(run_folder(place)), "--suite", LAB)
    # The lease tokens stay with the service and the bridge.
    tokens = {token.removeprefix("Bearer ") for *_, token in clients}
    manifest = (run_folder(place) / "manifest.json").read_text()
    assert not any(token in manifest for token in tokens)


def test_one_client_plays_over_standard_input_and_output(place: Path) -> None:
    service = houseguest(place, "run", *TWO, "--agent", "external", "--json")
    assert service.stdout is not None
    launch = json.loads(service.stdout.readline())
    seat = {"HOUSEGUEST_ADDRESS": launch["address"], "HOUSEGUEST_TOKEN": launch["tokens"][0]}
    words = ["-m", "env_service", "mcp", "--client-name", "by-stdio"]

    async def play() -> int:
        server = StdioServerParameters(command=sys.executable, args=words, env=seat)
        async with Client(server) as client:
            return await win_all(client)

    assert asyncio.run(play()) == 2
    out, _ = finish(service)
    assert done(out)["summary"]["overall"]["successes"] == 2


def test_a_server_for_open_sessions_takes_their_tokens(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = houseguest(place, "run", *TWO, "--agent", "external", "--json")
    assert service.stdout is not None
    launch = json.loads(service.stdout.readline())
    monkeypatch.setenv("HOUSEGUEST_ADDRESS", launch["address"])
    bridge = houseguest(place, "mcp", "--listen", "127.0.0.1:0", "--json")
    assert bridge.stdout is not None
    url = json.loads(bridge.stdout.readline())["url"]
    token = {"Authorization": f"Bearer {launch['tokens'][0]}"}
    assert asyncio.run(over_http(url, token, win_all)) == 2
    out, _ = finish(service)
    assert done(out)["summary"]["overall"]["successes"] == 2
    bridge.send_signal(signal.SIGINT)
    finish(bridge)


@pytest.mark.parametrize(
    ("address", "words", "said"),
    [
        ("", (), "HOUSEGUEST_ADDRESS and HOUSEGUEST_TOKEN must be set"),
        ("127.0.0.1:1", (), "HOUSEGUEST_TOKEN must be set"),
        ("127.0.0.1:1", ("--listen", "nowhere"), "nowhere"),
        ("127.0.0.1:1", ("--listen", "0.0.0.0:0"), "allow it with --plaintext"),
    ],
)
def test_what_is_missing_is_named(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, address: str, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("HOUSEGUEST_ADDRESS", address)
    monkeypatch.delenv("HOUSEGUEST_TOKEN", raising=False)
    _, err = ask("mcp", *words, code=2)
    assert said in err
