"""The viewer's pages: the built front end, from `bundle`.

`make web` builds it from `web/`. All pages are one document, so that the paths here are few.
"""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

BUNDLE = Path(__file__).parent / "bundle"
"""The built files."""
_INLINE = re.compile(r"[ ]*<script>(.*?)</script>\n", re.DOTALL)
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class _File:
    """A file of the bundle, read and compressed once."""

    def __init__(self, path: Path) -> None:
        self._data, self._kind = path.read_bytes(), _KINDS[path.suffix]
        self._compressed = gzip.compress(self._data, mtime=0)
        self._tag = f'"{sha256(self._data).hexdigest()[:32]}"'

    async def answer(self, request: Request) -> Response:
        """The file; 304 if the caller has it."""
        headers = {"cache-control": "no-cache", "etag": self._tag, "vary": "accept-encoding"}
        if self._tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        data = self._data
        if "gzip" in request.headers.get("accept-encoding", ""):
            data, headers["content-encoding"] = self._compressed, "gzip"
        return Response(data, headers=headers, media_type=self._kind)


def script_sources() -> str:
    """What a policy lets run in the document: files of the service, and the document's own script
    by its hash."""
    page = (BUNDLE / "index.html").read_text(encoding="utf-8")
    hashes = [sha256(each.encode()).digest() for each in _INLINE.findall(page)]
    return " ".join(["'self'", *(f"'sha256-{b64encode(each).decode()}'" for each in hashes)])


def without_inline_scripts(page: str) -> str:
    """The document for a place without a service: its own script asks the service."""
    return _INLINE.sub("", page)


def page_routes() -> Iterator[Route]:
    """A route for each file of the bundle; `/` is the document."""
    for path in sorted(BUNDLE.iterdir()):
        answer = _File(path).answer
        yield Route(f"/{path.name}", answer)
        if path.name == "index.html":
            yield Route("/", answer)
