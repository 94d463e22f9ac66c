"""The MCP server: finds the session of a call, checks the arguments, and returns the answer."""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    ListToolsResult,
    TextContent,
)
from pydantic import ValidationError
from starlette.applications import Starlette

from .session import Answer, BridgedSession
from .tools import ALL, TOOLS, Arguments, problems

INSTRUCTIONS = (
    "You control a robot or answer questions about a home. Call begin to get an instruction, then"
    " act until the goal is reached, then end. Repeat until begin says that no episode is left."
)
LARGEST_REQUEST = 2**20
"""Bytes of one HTTP request: more than the largest arguments that a tool takes."""
MOST_AT_ONCE = 256
"""Calls that are carried out at the same time; others wait."""
MOST_OF_A_SESSION = 16
"""Of these, calls of one session, which are carried out one after another. A client that sends more
at once gets an error, so that it does not hold up the clients of other sessions."""

TOO_MANY = (
    f"{MOST_OF_A_SESSION} calls of this session are under way. Wait for an answer before the next"
    " call."
)

Find = Callable[[str], BridgedSession | None]
"""The session of a client's token; None if the token is unknown. Over stdio the token is empty."""


def make_server(version: str, find: Find) -> Server[Any]:
    """A server of the tools, which keeps nothing about its clients' connections."""
    threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="session")
    running: Counter[BridgedSession] = Counter()

    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[each.tool() for each in ALL])

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        session = find(_token(context.request))
        if session is None:
            return _result(
                Answer(
                    "This token opens no session. Send the header `Authorization: Bearer TOKEN`"
                    " with a token that the run printed.",
                    error=True,
                )
            )
        try:
            arguments = _parsed(params)
        except ValueError as error:
            return _result(Answer(str(error), error=True))
        if running[session] >= MOST_OF_A_SESSION:
            return _result(Answer(TOO_MANY, error=True))
        running[session] += 1
        call = asyncio.get_running_loop().run_in_executor(threads, session.call, arguments)
        call.add_done_callback(lambda _call: running.subtract([session]))
        # A client that goes away does not stop the call: its repeat gets the answer.
        return _result(await asyncio.shield(call))

    return Server(
        "houseguest",
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def http_app(server: Server[Any], host: str) -> Starlette:
    """The server for streamable HTTP at ``/mcp``, for clients of the stateless protocol and of
    those before it."""
    return server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=LARGEST_REQUEST,
        host=host,
    )


async def serve_stdio(server: Server[Any]) -> None:
    """Serves one client over standard input and output, until it closes them."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _token(request: Any) -> str:
    """The bearer token of an HTTP request; empty if there is none."""
    if request is None:
        return ""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _parsed(params: CallToolRequestParams) -> Arguments:
    """Raises ValueError, which names the problem."""
    kind = TOOLS.get(params.name)
    if kind is None:
        raise ValueError(f"There is no tool {params.name[:60]!r}. The tools: {', '.join(TOOLS)}.")
    try:
        return kind.model_validate(params.arguments or {})
    except ValidationError as error:
        raise ValueError(f"{params.name}: {problems(error)}") from None


def _result(answer: Answer) -> CallToolResult:
    """Text always, then pictures. No structured content: clients show it in place of pictures."""
    pictures = [
        ImageContent(type="image", data=base64.b64encode(data).decode(), mime_type=media_type)
        for data, media_type in answer.images
    ]
    text = TextContent(type="text", text=answer.text)
    return CallToolResult(content=[text, *pictures], is_error=answer.error)
