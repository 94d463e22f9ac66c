"""MCP clients on a real service: what they see, and what repeated and wrong calls do."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import re
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from typing import Any

import pytest
from houseguest.control.v1 import control_pb2

from tests.support.extras import extra_module
from tests.support.service import OpenService, open_service

extra_module("mcp", "houseguest[mcp]", "REQUIRE_EXPORTS")

from houseguest_agent import Options  # noqa: E402
from mcp.client.client import Client  # noqa: E402

from agents.mcp.mcp_bridge.server import MOST_OF_A_SESSION, make_server  # noqa: E402
from agents.mcp.mcp_bridge.session import KEPT_PICTURES, BridgedSession  # noqa: E402

_SEEDS = count()
WON = {"skill": "win"}
NOOP = {"skill": "noop"}


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


class Bridge:
    """A session of a run of the laboratory, and MCP clients of it."""

    def __init__(self, service: OpenService, **request: Any) -> None:
        # Runs that differ in nothing would share a folder.
        self.run = service.open_run(seed=next(_SEEDS), **request)
        options = Options(address=service.address, token=service.token(self.run))
        self.session = BridgedSession("tester", options)
        self.server = make_server("1", lambda _token: self.session)

    def play(self, work: Callable[[Caller], Awaitable[None]], mode: str = "auto") -> None:
        """Runs a client's program."""

        async def main() -> None:
            async with Client(self.server, mode=mode) as client:
                await work(Caller(client))

        asyncio.run(main())

    def recorded(self) -> list[int]:
        """The number of steps of each recorded episode; closes the session."""
        self.session.close()
        text = (self.run.context.folder.path / "episodes.jsonl").read_text(encoding="utf-8")
        return [json.loads(line)["steps"] for line in text.splitlines()]


class Caller:
    """Calls tools, and keeps the handle and the number of the next step."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.episode = ""

    async def call(self, name: str, **arguments: Any) -> Any:
        return await self.client.call_tool(name, arguments)

    async def text(self, name: str, **arguments: Any) -> str:
        result = await self.call(name, **arguments)
        assert not result.is_error, result.content
        return str(result.content[0].text)

    async def error(self, name: str, **arguments: Any) -> str:
        result = await self.call(name, **arguments)
        assert result.is_error, result.content
        return str(result.content[0].text)

    async def begin(self) -> str:
        text = await self.text("begin")
        found = re.search(r"^Episode: (\S+)$", text, re.MULTILINE)
        self.episode = found[1] if found else ""
        return text

    async def act(self, step: int, **call: Any) -> str:
        return await self.text("act", episode=self.episode, step=step, **call)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_episodes_are_played_to_their_ends(service: OpenService, mode: str) -> None:
    bridge = Bridge(service, limit=2)

    async def work(caller: Caller) -> None:
        for number in range(2):
            opening = await caller.begin()
            assert "- win: Reaches the goal" in opening
            assert "Next step: 0." in opening
            assert "Step 0: succeeded. done" in await caller.act(0, **NOOP)
            assert "The episode is over" in await caller.act(1, **WON)
            # An end after the end is harmless, and says no more.
            said = await caller.text("end", episode=caller.episode, goal_reached=True)
            assert said == "Recorded. Call begin for the next episode."
            assert bridge.session.over.is_set() is False, number
        assert "No episode is left" in await caller.begin()
        assert "No episode is left" in await caller.begin()

    bridge.play(work, mode)
    assert bridge.session.over.is_set()
    assert bridge.recorded() == [2, 2]


def test_the_tools_are_the_same_everywhere_and_none_resets_or_scores(service: OpenService) -> None:
    listed = []

    async def work(caller: Caller) -> None:
        tools = (await caller.client.list_tools()).tools
        listed.append([tool.model_dump(mode="json") for tool in tools])
        assert [tool.name for tool in tools] == ["begin", "look", "act", "say", "plan", "end"]

    for task_set in ("lab", "plans", "answers"):
        bridge = Bridge(service, task_set=task_set, limit=1)
        bridge.play(work)
        bridge.session.close()
    assert listed[0] == listed[1] == listed[2]


def test_plans_and_answers(service: OpenService) -> None:
    plans, answers = (
        Bridge(service, task_set="plans", limit=1),
        Bridge(service, task_set="answers", limit=1),
    )

    async def plan(caller: Caller) -> None:
        assert "by one call of plan" in await caller.begin()
        steps = [{"skill": "noop"}, {"skill": "win", "arguments": {}}]
        told = await caller.text("plan", episode=caller.episode, step=0, steps=steps, thought="?")
        assert told.startswith("Step 0: succeeded. done\nStep 0: succeeded. done")

    async def answer(caller: Caller) -> None:
        assert "by one call of say" in await caller.begin()
        told = await caller.text("say", episode=caller.episode, step=0, text="win")
        assert "The episode is over" in told

    plans.play(plan)
    answers.play(answer)
    assert (plans.recorded(), answers.recorded()) == ([1], [1])


def test_pictures_come_as_images_beside_the_text(service: OpenService) -> None:
    bridge = Bridge(service, condition={"frame": "64"}, limit=1)

    async def work(caller: Caller) -> None:
        await caller.begin()
        results = [await caller.call("look", episode=caller.episode)]
        for step in range(KEPT_PICTURES + 1):
            results.append(await caller.call("act", episode=caller.episode, step=step, **NOOP))
        for result in results:
            assert result.structured_content is None
            text, picture = result.content
            assert text.type == "text"
            assert picture.mime_type == "image/png"
            assert base64.b64decode(picture.data).startswith(b"\x89PNG")
        assert results[0].content[1].data != results[1].content[1].data
        again = await caller.call("act", episode=caller.episode, step=1, **NOOP)
        assert again == results[2]
        # Pictures of older steps are not kept for ever, and the answer says so.
        (text,) = (await caller.call("act", episode=caller.episode, step=0, **NOOP)).content
        assert "no longer available" in text.text
        await caller.act(KEPT_PICTURES + 1, **WON)

    bridge.play(work)
    assert bridge.recorded() == [KEPT_PICTURES + 2]


def test_wrong_calls_name_the_mend_and_use_no_step(service: OpenService) -> None:
    bridge = Bridge(service, limit=1)

    async def work(caller: Caller) -> None:
        assert "Call begin" in await caller.error("look", episode="")
        await caller.begin()
        episode = caller.episode
        await caller.act(0, **NOOP)
        for said, name, arguments in (
            ("with other arguments. The next step is 1.", "act", {"step": 0, **WON}),
            ("Step 7 is not the next one. The next step is 1.", "act", {"step": 7, **NOOP}),
            ("no episode 'mine'. Call begin", "act", {"episode": "mine", "step": 1, **NOOP}),
            ("step: Field required", "act", NOOP),
            ("step: Input should be a valid integer", "act", {"step": "1", **NOOP}),
            ("greater than or equal to 0", "act", {"step": -1, **NOOP}),
            ("arguments.code: Input should be a valid string", "act",
             {"step": 1, "skill": "refuse", "arguments": {"code": 5}}),
            ("at most 65536 characters", "say", {"step": 1, "text": "x" * 10_000_000}),
            ("at most 200 items", "plan", {"step": 1, "steps": [NOOP] * 201}),
            ("score: Extra inputs are not permitted", "act", {"step": 1, "score": 1, **NOOP}),
        ):  # fmt: skip
            assert said in await caller.error(name, **{"episode": episode, **arguments})
        for name in ("reset", "score", "verify"):
            assert "The tools: begin, look, act" in await caller.error(name)
        # A skill that does not exist, or is refused, is an ordinary step, as for every agent.
        assert "Step 1: unknown skill." in await caller.act(1, skill="fly")
        refused = await caller.act(2, skill="refuse", arguments={"code": "PHYSICALLY_BLOCKED"})
        assert "Step 2: physically blocked." in refused
        await caller.act(3, **WON)
        assert "The episode is over. Call begin" in await caller.error(
            "act", episode=episode, step=4, **NOOP
        )

    bridge.play(work)
    assert bridge.recorded() == [4]


def test_concurrent_repeated_and_lost_calls_are_executed_once(service: OpenService) -> None:
    bridge = Bridge(service, condition={"steps": "1000000"}, limit=1)
    rng = random.Random(5)
    first: dict[int, str] = {}

    async def work(caller: Caller) -> None:
        await caller.begin()
        step = 0
        while step < 200:
            burst = [step] * rng.randint(1, 3) + rng.sample(range(step), min(step, 2))
            rng.shuffle(burst)
            calls = (caller.act(each, **NOOP) for each in burst)
            for number, text in zip(burst, await asyncio.gather(*calls), strict=True):
                # The first answer to a call whose answer was lost is the one of its repeat.
                assert first.setdefault(number, text) == text
            step += 1
        await caller.act(step, **WON)

    bridge.play(work)
    assert bridge.recorded() == [201]


def test_answers_hold_nothing_but_what_every_agent_sees(service: OpenService) -> None:
    bridge = Bridge(service, condition={"feedback": "none"}, limit=1)
    seen = []

    async def work(caller: Caller) -> None:
        seen.append(await caller.begin())
        seen.append(await caller.act(0, skill="refuse", arguments={"code": "UNPARSABLE"}))
        seen.append(await caller.act(1, **WON))
        seen.append(await caller.text("end", episode=caller.episode, goal_reached=False))

    bridge.play(work)
    # A refusal and a success read alike, and so do both ways to end.
    assert seen[1].splitlines()[0] == "Step 0: taken."
    assert seen[2].splitlines()[0] == "Step 1: taken."
    assert seen[3] == "Recorded. Call begin for the next episode."
    for hidden in ("score", "reward", service.token(bridge.run)):
        assert hidden not in "\n".join(seen)
    bridge.session.close()


def test_a_lost_session_says_so_and_never_that_the_run_is_over(service: OpenService) -> None:
    bridge = Bridge(service, limit=2)

    async def work(caller: Caller) -> None:
        await caller.begin()
        request = control_pb2.CancelRunRequest(run_id=bridge.run.run_id)
        service.control().CancelRun(request, metadata=service.operator, timeout=60)
        step = {"episode": caller.episode, "step": 0, **NOOP}
        for name, arguments in (("act", step), ("begin", {}), ("begin", {})):
            assert "The session is lost" in await caller.error(name, **arguments)

    bridge.play(work)
    assert bridge.session.over.is_set()


def test_a_client_that_floods_its_session_is_told_to_wait(service: OpenService) -> None:
    bridge = Bridge(service, limit=1)

    async def work(caller: Caller) -> None:
        await caller.begin()
        slow = {"skill": "slow", "arguments": {"seconds": "1"}}
        call = {"episode": caller.episode, "step": 0, **slow}
        results = await asyncio.gather(
            *(caller.call("act", **call) for _ in range(MOST_OF_A_SESSION + 4))
        )
        texts = [result.content[0].text for result in results if result.is_error]
        assert len(texts) == 4
        assert all("Wait for an answer" in text for text in texts)
        # The others are one step and its repeats.
        assert "Step 1: succeeded." in await caller.act(1, **WON)

    bridge.play(work)
    assert bridge.recorded() == [2]
