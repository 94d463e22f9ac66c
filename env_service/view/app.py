"""The viewer's application: routes, who may call them, and headers of every answer."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import fields
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from env_service.index.annotations import annotations_of, as_csv
from env_service.index.store import Index, IndexUnavailableError
from env_service.results.pictures import ENCODINGS, WIDEST, RecordingError, read_picture
from env_service.view.api import ANNOTATIONS, OPERATIONS, Api
from env_service.view.events import SECONDS, Changes
from env_service.view.openapi import Operation, Problem, describe, path_parameters
from env_service.view.pages import page_routes, script_sources
from env_service.view.requests import Parameter, Query, RefusedError

COOKIE = "houseguest_view"
"""Holds the token in a browser."""
PICTURE = "/api/runs/{run}/pictures/{sha256}"
FIGURE = "/api/runs/{run}/figures/{figure}.svg"
_ENCODING = Parameter("encoding", "As in the transcript.", choices=ENCODINGS, default=ENCODINGS[0])
_WIDTH = Parameter("width", "Pixels; needed for depth.", least=1, most=WIDEST)
ANNOTATIONS_CSV = f"{ANNOTATIONS}.csv"
MOST_BODY = 32 * 1024
"""Bytes of a request's body."""
_MOST_HEADER = 8192
_POLICY = (
    f"default-src 'none'; script-src {script_sources()}; style-src 'self'; img-src 'self';"
    " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Of an SVG that somebody opens alone: its style is in itself, and nothing runs or is loaded."""
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def make_app(index: Index, token: str = "", *, seconds: float = SECONDS) -> Starlette:
    """The application over an index. ``token`` is what callers have to know; without one, only
    the host's own names are answered. ``seconds``: between two looks at the runs.

    ``state.changes.close()`` ends the streams of events, which otherwise keep a server from
    stopping.
    """
    api, changes = Api(index), Changes(index, seconds)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        loop = asyncio.create_task(changes.run())
        try:
            yield
        finally:
            loop.cancel()
            with suppress(asyncio.CancelledError):
                await loop
            api.close()

    routes = [
        *_other_routes(index, api, changes),
        *(
            Route(each.path, _endpoint(api, each), methods=[each.method.upper()])
            for each in OPERATIONS
        ),
        *page_routes(),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.state.changes = changes
    app.add_middleware(Guard, token=token)
    return app


def _other_routes(index: Index, api: Api, changes: Changes) -> list[Route]:
    """The API's description, events, pictures, and annotations as CSV."""
    document = json.dumps(describe(OPERATIONS, _others()))

    async def openapi(_request: Request) -> Response:
        return Response(document, media_type="application/json")

    async def events(_request: Request) -> Response:
        if changes.full:
            return _refusal(503, "too many pages listen")
        return StreamingResponse(
            changes.listen(), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def picture(request: Request) -> Response:
        return await _guarded(lambda: _picture(api, request))

    async def figure(request: Request) -> Response:
        return await _guarded(lambda: _figure(api, request))

    async def annotations_csv(_request: Request) -> Response:
        text = await run_in_threadpool(lambda: as_csv(annotations_of(index)))
        headers = {"content-disposition": 'attachment; filename="annotations.csv"'}
        return Response(text, media_type="text/csv", headers=headers)

    return [
        Route("/api/openapi.json", openapi),
        Route("/api/events", events),
        Route(PICTURE, picture),
        Route(FIGURE, figure),
        Route(ANNOTATIONS_CSV, annotations_csv),
    ]


def _endpoint(api: Api, operation: Operation[Api]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        body = b""
        if operation.body is not None:
            async for part in request.stream():
                body += part
                if len(body) > MOST_BODY:
                    return _refusal(413, f"send at most {MOST_BODY} bytes")

        def ask() -> Response:
            query = Query(operation.parameters, request.query_params.multi_items(), body)
            return _json(operation.handle(api, request.path_params, query))

        return await _guarded(ask)

    return answer


async def _guarded(ask: Callable[[], Response]) -> Response:
    try:
        return await run_in_threadpool(ask)
    except RefusedError as error:
        return _refusal(error.status, str(error))
    except RecordingError as error:
        return _refusal(404 if error.missing else 502, str(error))
    except IndexUnavailableError as error:
        return _refusal(503, str(error))


def _picture(api: Api, request: Request) -> Response:
    query = Query((_ENCODING, _WIDTH), request.query_params.multi_items())
    digest, encoding = request.path_params["sha256"], query.text("encoding")
    folder = api.folder(request.path_params["run"])
    tag = f'"{encoding}-{digest}"'
    headers = {"cache-control": "private, max-age=31536000, immutable", "etag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    found = read_picture(folder, digest, encoding, query.whole("width") or 0)
    return Response(found.data, media_type=found.kind, headers=headers)


def _figure(api: Api, request: Request) -> Response:
    found = api.figure(request.path_params["run"], request.path_params["figure"])
    headers = {"cache-control": "no-store", "content-security-policy": _FIGURE_POLICY}
    return Response(found, headers=headers, media_type="image/svg+xml")


def _json(value: Any, status: int = 200) -> Response:
    # ASCII, because a text of an agent may hold half of a character.
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=_fields)
    headers = {"cache-control": "no-store"}
    return Response(text, status, headers, media_type="application/json")


def _fields(value: Any) -> dict[str, Any]:
    """A dataclass for JSON. ``asdict`` takes three times as long, because it copies all values."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _refusal(status: int, message: str) -> Response:
    return _json(Problem(message), status)


def _others() -> Mapping[str, Any]:
    """Operations with answers other than a dataclass in JSON."""
    formats = ("image/webp", "image/png", "image/jpeg")
    asked = [
        {"name": each.name, "in": "query", "schema": each.schema()} for each in (_ENCODING, _WIDTH)
    ]
    return {
        "/api/openapi.json": _other("openapi", "This document.", ("application/json",)),
        "/api/events": _other("events", "Changes, as server-sent events.", ("text/event-stream",)),
        ANNOTATIONS_CSV: _other("annotations_csv", "All annotations as CSV.", ("text/csv",)),
        PICTURE: _other(
            "picture", "A picture by its hash.", formats, [*path_parameters(PICTURE), *asked]
        ),
        FIGURE: _other(
            "figure", "A figure of a report.", ("image/svg+xml",), path_parameters("{run}/{figure}")
        ),
    }


def _other(
    name: str, summary: str, kinds: tuple[str, ...], parameters: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    response = {"description": summary, "content": {kind: {} for kind in kinds}}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "parameters": parameters or [],
            "responses": {"200": response},
        }
    }


class Guard:
    """Refuses callers that may not ask, and adds headers to every answer.

    Without a token only names of the host itself are answered, so that a page elsewhere cannot
    reach the service under another name (DNS rebinding). A token in the address's query is
    put into a cookie, once.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One call of ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._check(scope) or self._app
        await answer(scope, receive, send_guarded)

    def _check(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD"):
            if not scope["path"].startswith(f"{ANNOTATIONS}"):
                return _refusal(405, "runs are read-only")
            if (refused := _check_origin(headers, scope)) is not None:
                return refused
        if len(scope["query_string"]) > _MOST_HEADER or len(scope["path"]) > _MOST_HEADER:
            return _refusal(414, "the address is too long")
        if not self._token:
            if _host(headers.get("host", "")) not in _LOOPBACK:
                return _refusal(421, "call this service as localhost, 127.0.0.1 or [::1]")
            return None
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token", "")
        if scope["path"] == "/" and given and self._is_token(given):
            answer = RedirectResponse("/", 303)
            secure = scope.get("scheme") == "https"
            answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict", secure=secure)
            return answer
        if self._is_token(_bearer(headers)) or self._is_token(_cookie(headers)):
            return None
        return _refusal(401, "a token is needed: open the address that the command printed")

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(
            given.encode("utf-8", "surrogateescape"), self._token.encode()
        )


def _check_origin(headers: Headers, scope: Scope) -> Response | None:
    """Refuses a change that a page of another origin asks for.

    A browser names the origin with each request that changes something; scripts name none. It
    sends JSON to another origin only after asking, which is never allowed.
    """
    origin = headers.get("origin")
    own = f"{scope.get('scheme', 'http')}://{headers.get('host', '')}"
    if origin is not None and origin.lower() != own.lower():
        return _refusal(403, "a page of another origin may not change annotations")
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return _refusal(403, "a page of another origin may not change annotations")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if scope["method"] == "POST" and kind != "application/json":
        return _refusal(415, "send JSON, with the content type application/json")
    return None


def _host(header: str) -> str:
    """The name in a Host header, without its port."""
    host = header.strip().lower()
    if host.startswith("["):
        name, bracket, rest = host.partition("]")
        return name + bracket if not rest or rest[1:].isdecimal() else ""
    return host.partition(":")[0]


def _bearer(headers: Headers) -> str:
    kind, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else ""


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")[:_MOST_HEADER]).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
