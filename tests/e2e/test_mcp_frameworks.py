"""The agent of docs/mcp.md, as it stands there, with a scripted model server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.command_line import ROOT, done, finish, houseguest, until
from tests.support.extras import extra_module
from tests.support.model_server import MODEL, Call, ModelServer, completion

extra_module("mcp", "houseguest[mcp]", "REQUIRE_EXPORTS")
extra_module("pydantic_ai.mcp", "houseguest[test-frameworks]", "REQUIRE_EXPORTS")

NOTICE = re.compile(r"(http://\S+) with the header `Authorization: Bearer (\w+)`")
STEPS = 2
"""Steps that the scripted model takes in an episode before it gives up."""


def program() -> str:
    """The Python program of the page."""
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


def texts(content: Any) -> str:
    """The texts of a message's content. Results of several parts arrive as a JSON array."""
    if isinstance(content, str):
        if content.startswith("["):
            return "\n".join(part for part in json.loads(content) if isinstance(part, str))
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    """A completion that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    tool_call = {"id": "call-1", "type": "function", "function": function}
    document = completion(None, finish="tool_calls", tool_calls=[tool_call])
    return document | {"created": 1}


def model(call: Call) -> None:
    """Begins each episode, acts by the first skill, gives up, and stops when none is left."""
    seen = [texts(message.get("content")) for message in call.asked.body["messages"]]
    handle = number = skill = None
    for text in seen:
        if found := re.search(r"^Episode: (\S+)$", text, re.MULTILINE):
            handle, skill = found[1], re.search(r"^- (\w+):", text, re.MULTILINE)
        if found := re.search(r"^Next step: (\d+)\.", text, re.MULTILINE):
            number = int(found[1])
        if "Recorded." in text or "The episode is over" in text:
            handle = None
    if any("No episode is left" in text for text in seen):
        answer = completion("I have played all episodes.") | {"created": 1}
    elif handle is None or number is None or skill is None:
        answer = calls("begin")
    elif number == STEPS:
        answer = calls("end", episode=handle, goal_reached=False)
    else:
        answer = calls("act", episode=handle, step=number, skill=skill[1])
    call.send_json(200, answer)


def test_the_documented_agent_plays_asgard_with_pictures(place: Path) -> None:
    words = ("--suite", "asgard", "--task-set", "builtin", "--limit", "1")
    run = houseguest(place, "run", *words, "--agent", "mcp", "--json")
    logs = place / "runs"

    def announced() -> list[tuple[str, str]]:
        return NOTICE.findall("".join(path.read_text() for path in logs.glob("*/logs/guest-*.log")))

    until(announced)
    ((url, token),) = announced()
    (place / "agent.py").write_text(program(), encoding="utf-8")
    with ModelServer(model) as server:
        settings = {
            "MCP_URL": url, "MCP_TOKEN": token, "MODEL": f"openai-chat:{MODEL}",
            "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none",
        }  # fmt: skip
        played = subprocess.run(
            [sys.executable, "agent.py"],
            cwd=place, env=os.environ | settings, capture_output=True, text=True, timeout=300,
            check=False,
        )  # fmt: skip
        assert played.returncode == 0, played.stderr
        assert played.stdout == "I have played all episodes.\n"
        pictures = server.asked[-1].pictures
    # One as the episode begins; after each step the present picture and the one before.
    assert len(pictures) == 1 + 2 * STEPS
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    out, _ = finish(run)
    assert done(out)["summary"]["overall"]["n"] == 1
