"""The viewer's pages: what is served, and that their types are those of the API."""

from __future__ import annotations

import gzip
import re
import runpy
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from env_service.view.pages import BUNDLE, page_routes, script_sources, without_inline_scripts

ROOT = Path(__file__).parents[3]
MOST_COMPRESSED = 350_000
"""Bytes of all files, as they are sent."""


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(Starlette(routes=list(page_routes())))


def test_every_file_is_served_and_found_again(client: TestClient) -> None:
    for path in BUNDLE.iterdir():
        answer = client.get(f"/{path.name}")
        assert answer.content == path.read_bytes()
        assert answer.headers["content-encoding"] == "gzip"
        tag = {"if-none-match": answer.headers["etag"]}
        assert client.get(f"/{path.name}", headers=tag).status_code == 304
    plain = client.get("/app.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == (BUNDLE / "app.js").read_bytes()


def test_the_document_names_only_files_of_the_bundle(client: TestClient) -> None:
    document = client.get("/").text
    named = re.findall(r'(?:src|href)="\./([^"]+)"', document)
    assert sorted(named) == ["app.css", "app.js", "icon.svg"]
    assert "<style" not in document
    inline = re.findall(r"<script(?! defer src)[^>]*>(.*?)</script>", document, re.DOTALL)
    hashes = [b64encode(sha256(each.encode()).digest()).decode() for each in inline]
    assert len(inline) == 1, "no script but the one that asks early"
    assert script_sources() == f"'self' 'sha256-{hashes[0]}'"
    assert without_inline_scripts(document).count("<script") == 1
    for path in BUNDLE.glob("app.*"):
        text = path.read_text("utf-8")
        assert not re.search(r"https?://(?!www\.w3\.org/)", text), "the bundle asks nobody else"


def test_the_bundle_is_small() -> None:
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in BUNDLE.iterdir()}
    assert sum(sizes.values()) <= MOST_COMPRESSED, sizes


def test_types_of_the_pages_are_those_of_the_api() -> None:
    generator = runpy.run_path(str(ROOT / "web" / "generate_types.py"))
    written = (ROOT / "web" / "src" / "api_types.ts").read_text("utf-8")
    assert written == generator["types"](), "run make web-types"
