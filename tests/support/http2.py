"""A peer that speaks just enough HTTP/2 to open calls of gRPC, and to leave them half done."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import suppress

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SERVICE = "/houseguest.agent.v1.AgentService/"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW = 4
"""A setting."""
USUAL_WINDOW = 65_535


class HttpTwo:
    """One connection. ``window``: how much of each answer the service may send."""

    def __init__(self, address: str, token: str, window: int = USUAL_WINDOW) -> None:
        self._token = token
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address.removeprefix("unix:"))
        self._lock = threading.Lock()
        self._windows = {0: USUAL_WINDOW}
        self._initial = USUAL_WINDOW
        self._seen = b""
        self.ended = 0
        """Calls that the service answered or reset."""
        settings = struct.pack(">HI", INITIAL_WINDOW, window)
        self._socket.sendall(PREFACE + frame(SETTINGS, 0, 0, settings))
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def call(self, method: str, message: bytes, times: int) -> None:
        """Makes calls, each with a whole request."""
        data = struct.pack(">BI", 0, len(message)) + message
        for stream in range(1, 2 * times, 2):
            head = frame(HEADERS, END_HEADERS, stream, headers(method, self._token))
            self._socket.sendall(head + frame(DATA, END_STREAM, stream, data))

    def begin(self, method: str, calls: int, size: int, seconds: float) -> int:
        """Begins calls, and sends as much of each one's request as it may, but for its last byte.

        A request is ``size`` bytes. Returns how many bytes were sent in so much time.
        """
        streams = range(1, 2 * calls, 2)
        left = dict.fromkeys(streams, size - 1)
        for stream in streams:
            with self._lock:
                self._windows[stream] = self._windows.get(stream, 0) + self._initial
            head = frame(HEADERS, END_HEADERS, stream, headers(method, self._token))
            self._socket.sendall(head)
            self._send(stream, struct.pack(">BI", 0, size))
        end, sent = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            before = sent
            for stream in streams:
                took = self._send(stream, bytes(min(16_384, left[stream])))
                left[stream] -= took
                sent += took
            if sent == before:
                time.sleep(0.01)
        return sent

    def received(self, awaited: bytes, seconds: float = 10.0) -> bytes:
        """All that came, once ``awaited`` has, or so much time has passed."""
        end = time.monotonic() + seconds
        while awaited not in self._seen and time.monotonic() < end:
            time.sleep(0.02)
        return self._seen

    def close(self) -> None:
        """Hangs up."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._reader.join()

    def _send(self, stream: int, data: bytes) -> int:
        """Sends as much as the windows allow; returns how much it was."""
        with self._lock:
            size = max(0, min(len(data), self._windows[0], self._windows[stream]))
            self._windows[0] -= size
            self._windows[stream] -= size
        if size:
            self._socket.sendall(frame(DATA, 0, stream, data[:size]))
        return size

    def _listen(self) -> None:
        with suppress(OSError), self._socket.makefile("rb") as file:
            while len(head := file.read(9)) == 9:
                size, kind, flags = int.from_bytes(head[:3]), head[3], head[4]
                self._take(kind, flags, int.from_bytes(head[5:]), file.read(size))

    def _take(self, kind: int, flags: int, stream: int, data: bytes) -> None:
        self.ended += kind == RST_STREAM or (kind == HEADERS and bool(flags & END_STREAM))
        if kind == WINDOW_UPDATE:
            with self._lock:
                self._windows[stream] = self._windows.get(stream, 0) + int.from_bytes(data)
        elif kind == SETTINGS and not flags & ACK:
            for name, value in struct.iter_unpack(">HI", data):
                if name == INITIAL_WINDOW:
                    self._widen(value)
            self._socket.sendall(frame(SETTINGS, ACK, 0))
        elif kind in (HEADERS, DATA):
            self._seen += data

    def _widen(self, value: int) -> None:
        with self._lock:
            for stream in self._windows:
                if stream:
                    self._windows[stream] += value - self._initial
            self._initial = value


def headers(method: str, *tokens: str) -> bytes:
    """The header block of a call, with an authorization header for each token."""
    pairs = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", SERVICE + method),
        (":authority", "house"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        *(("authorization", f"Bearer {token}") for token in tokens),
    ]
    return b"".join(b"\0" + _word(name) + _word(value) for name, value in pairs)


def frame(kind: int, flags: int, stream: int, data: bytes = b"") -> bytes:
    """One frame."""
    return len(data).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + data


def _word(text: str) -> bytes:
    """A string as HPACK has it, without Huffman's code."""
    data = text.encode()
    if len(data) < 127:
        return bytes([len(data)]) + data
    rest, size = len(data) - 127, b"\x7f"
    while rest >= 128:
        size += bytes([rest % 128 + 128])
        rest //= 128
    return size + bytes([rest]) + data
