"""A model's server: real HTTP, the OpenAI API, and whatever behaviour a test scripts.

A behaviour is a function that answers one request. Behaviours in ``queue`` are used up first,
one a request; after that ``default`` answers.
"""

from __future__ import annotations

import base64
import json
import re
import socket
import struct
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any

MODEL = "tiny-vlm"


@dataclass(frozen=True, slots=True)
class Asked:
    """A chat request as it came."""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str
    raw: bytes = field(repr=False)

    @property
    def texts(self) -> str:
        """All texts of all messages."""
        return "\n\n".join(text for message in self.body["messages"] for text in _texts(message))

    @property
    def pictures(self) -> list[bytes]:
        """All pictures of all messages, decoded from their data URLs."""
        urls = (
            part["image_url"]["url"]
            for message in self.body["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "image_url"
        )
        return [base64.b64decode(url.partition("base64,")[2]) for url in urls]


class Call:
    """One request under way, and the means to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        self._handler, self.asked = handler, asked

    def send(self, status: int, body: bytes, kind: str = "application/json", **more: str) -> None:
        """A whole answer; underscores in header names stand for hyphens."""
        self._handler.send_response(status)
        self._handler.send_header("content-type", kind)
        self._handler.send_header("content-length", str(len(body)))
        for name, value in more.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()
        self._handler.wfile.write(body)

    def send_json(self, status: int, document: Any, **headers: str) -> None:
        """A JSON document."""
        self.send(status, json.dumps(document).encode(), **headers)

    def send_half(self, document: Any) -> None:
        """The first half of a document, under the length of the whole; then the line is cut."""
        body = json.dumps(document).encode()
        self._handler.send_response(200)
        self._handler.send_header("content-length", str(len(body)))
        self._handler.end_headers()
        self._handler.wfile.write(body[: len(body) // 2])
        self.hang_up()

    def send_slowly(self, document: Any, pause: float) -> None:
        """A document, a byte at a time."""
        body = json.dumps(document).encode()
        self._handler.send_response(200)
        self._handler.send_header("content-length", str(len(body)))
        self._handler.end_headers()
        for byte in body:
            self._handler.wfile.write(bytes([byte]))
            time.sleep(pause)

    def hang_up(self) -> None:
        """Cuts the connection."""
        self._handler.wfile.flush()
        self._handler.close_connection = True
        self._handler.connection.shutdown(2)


Behaviour = Callable[[Call], None]


def completion(
    text: str | None, *, finish: str = "stop", usage: bool = True, **message: Any
) -> dict[str, Any]:
    """A chat completion."""
    document: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": finish,
            }
        ],
    }
    if usage:
        document["usage"] = {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 60},
            "completion_tokens_details": {"reasoning_tokens": 5},
        }
    return document


def says(text: str | None, **more: Any) -> Behaviour:
    """Answers with a text. ``more`` as for ``completion``."""
    return lambda call: call.send_json(200, completion(text, **more))


def fails(status: int, error: Any = None, **headers: str) -> Behaviour:
    """Answers with an error, in OpenAI's shape unless ``error`` is a whole document."""
    document = error if isinstance(error, dict) else {"error": {"message": error or "no"}}
    return lambda call: call.send_json(status, document, **headers)


def sends(body: bytes, status: int = 200, kind: str = "text/html") -> Behaviour:
    """Answers with these bytes."""
    return lambda call: call.send(status, body, kind)


def half(call: Call) -> None:
    """Half a body, then nothing."""
    call.send_half(completion("half a reply"))


def hang_up(call: Call) -> None:
    """No answer at all."""
    call.hang_up()


def drips(pause: float) -> Behaviour:
    """Answers well, a byte at a time, with a pause of so many seconds behind each."""
    return lambda call: call.send_slowly(completion("a drop at a time"), pause)


def slow(seconds: float, then: Behaviour) -> Behaviour:
    """Takes its time."""

    def behave(call: Call) -> None:
        time.sleep(seconds)
        then(call)

    return behave


def thinks(call: Call) -> str:
    """What an obliging model would say: to questions of the self-check, and of the proof."""
    text = call.asked.texts
    if call.asked.pictures:
        return _colour(call.asked.pictures[-1])
    wanted = call.asked.body.get("response_format", {}).get("json_schema", {}).get("schema")
    chosen = (
        {n: e["enum"][0] for n, e in wanted["properties"].items() if "enum" in e} if wanted else {}
    )
    if chosen:
        return json.dumps(chosen)
    return '{"word": "ready"}' if "ready" in text else "hello"


def obliges(call: Call) -> None:
    """Answers as ``thinks`` says."""
    call.send_json(200, completion(thinks(call)))


class Expert:
    """Plays the actions of a file that ``houseguest expert`` wrote.

    It identifies a task by the instruction and the text that opened it, and the turn by how many
    replies of its own the request holds: the guest has to show it the whole history.
    """

    def __init__(self, file: Path) -> None:
        lines = file.read_text(encoding="utf-8").splitlines()
        self._scripts = [json.loads(line) for line in lines]

    def __call__(self, call: Call) -> None:
        text = call.asked.texts
        turn = sum(m["role"] == "assistant" for m in call.asked.body["messages"])
        for script in self._scripts:
            opening = script["opening"]
            if opening["instruction"] in text and opening["text"] in text:
                action = script["actions"][min(turn, len(script["actions"]) - 1)]
                reply = {"thought": "As the expert does.", "plan": [], "action": action}
                call.send_json(200, completion(json.dumps(reply)))
                return
        obliges(call)


class _Server(ThreadingHTTPServer):
    """Says nothing of clients that hang up."""

    allow_reuse_address = daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _SocketServer(_Server):
    """Listens on a Unix socket: its address is the path of that."""

    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        Path(str(self.server_address)).unlink(missing_ok=True)
        TCPServer.server_bind(self)


class ModelServer:
    """The server. May be stopped and started again; its port stays the same and stays reserved.

    With ``place`` it listens on a Unix socket of that path; with port 0 on any that is free.
    """

    def __init__(
        self,
        default: Behaviour | None = None,
        *,
        formats: Iterable[str] = ("json_schema", "json_object"),
        key: str = "",
        models: Iterable[str] = (MODEL,),
        place: Path | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """``formats``: the response formats that it takes; ``key``: the one it asks for."""
        self.place, self._host, self._port = place, host, port
        self.default: Behaviour = default or obliges
        self.queue: list[Behaviour] = []
        self.asked: list[Asked] = []
        self.formats, self.key, self.models = set(formats), key, list(models)
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._kept: socket.socket | None = None
        self.start()

    @property
    def url(self) -> str:
        """The base URL."""
        if self.place is not None:
            return f"unix:{self.place}"
        return f"http://{self._host}:{self._port}/v1"

    def start(self) -> None:
        """Listens, again on the port that it had."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body of an answer are two packets: the second would wait for an
            # acknowledgement of the first, which the client delays by 40 ms.
            disable_nagle_algorithm = outer.place is None

            def do_POST(self) -> None:
                outer._post(self)

            def do_GET(self) -> None:
                outer._get(self)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._release()
        if self.place is not None:
            self._server = _SocketServer(str(self.place), Handler)
        else:
            self._server = _Server((self._host, self._port), Handler)
            self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Listens no more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
            self._keep()

    def _keep(self) -> None:
        """Holds the port while nothing listens there: whoever connects is refused."""
        if self.place is None:
            self._kept = socket.socket()
            self._kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._kept.bind((self._host, self._port))

    def _release(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._release()

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers["content-length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        call = Call(handler, Asked(json.loads(raw), headers, handler.path, raw))
        with self._lock:
            self.asked.append(call.asked)
            behave = self._judge(call) or (self.queue.pop(0) if self.queue else self.default)
        if self._server is None:
            # Connections outlive the listener: a stopped one answers no request.
            behave = hang_up
        try:
            behave(call)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True

    def _judge(self, call: Call) -> Behaviour | None:
        if self.key and call.asked.headers.get("authorization") != f"Bearer {self.key}":
            given = call.asked.headers.get("authorization", "")
            return fails(401, f"Incorrect API key provided: {given}.")
        if call.asked.body["model"] not in self.models:
            name = call.asked.body["model"]
            error = {"message": f"The model `{name}` does not exist.", "code": "model_not_found"}
            return fails(404, {"error": error})
        wanted = call.asked.body.get("response_format", {}).get("type")
        if wanted and wanted not in self.formats:
            text = f"'response_format.type' of value '{wanted}' is not supported"
            return fails(400, {"error": {"message": text, "param": "response_format"}})
        return None

    def _get(self, handler: BaseHTTPRequestHandler) -> None:
        document = {"object": "list", "data": [{"id": name} for name in self.models]}
        Call(handler, Asked({}, {}, handler.path, b"")).send_json(200, document)


def _texts(message: dict[str, Any]) -> list[str]:
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if part["type"] == "text"]


def _colour(png: bytes) -> str:
    """The colour of a PNG of one colour (RGB, 8 bits)."""
    found = re.search(rb"IDAT", png)
    assert found is not None
    (length,) = struct.unpack(">I", png[found.start() - 4 : found.start()])
    red, _, blue = zlib.decompress(png[found.end() : found.end() + length])[1:4]
    return "Red." if red > blue else "Blue."
