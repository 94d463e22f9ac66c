"""Exports of the viewer: what their folder may be, what a second one keeps, and one page that has
an episode."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image

from env_service.index.store import Index
from env_service.storage.signing_key import SigningKey
from env_service.view.export import ExportError, export_view
from env_service.view.facts import READY, FactsView, Replays
from env_service.view.moments import EpisodeFacts
from env_service.view.trace_file import TooLargeError, make_trace
from tests.support.indexed import new_index
from tests.support.played_run import play_run
from tests.support.viewed import quiet_stage


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    place = tmp_path_factory.mktemp("runs")
    play_run(place / "runs", SigningKey.load_or_create(place / "key.pem"))
    with new_index(place / "runs", place / "index.sqlite3") as made:
        made.sync()
        yield made


def _files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_an_export_replaces_only_an_export(index: Index, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    with pytest.raises(ExportError, match="is not an export of the viewer"):
        export_view(index, mine, quiet_stage, replay=False)
    link = tmp_path / "link"
    link.symlink_to(mine)
    with pytest.raises(ExportError, match="is a link or a file"):
        export_view(index, link, quiet_stage, replay=False)
    assert _files(mine) == {"thesis.tex": b"years of work"}
    site = tmp_path / "site"
    export_view(index, site, quiet_stage, replay=False)
    (site / "notes.txt").write_text("mine")
    with pytest.raises(ExportError, match=r"also contains notes\.txt"):
        export_view(index, site, quiet_stage, replay=False)
    (site / "notes.txt").unlink()
    export_view(index, site, quiet_stage, replay=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "mine", "site"]


def test_an_interrupted_export_changes_nothing(index: Index, tmp_path: Path) -> None:
    site = tmp_path / "site"
    export_view(index, site, quiet_stage, replay=False)
    before = _files(site)

    @contextmanager
    def interrupted(_name: str, _parts: int) -> Iterator[Callable[[], None]]:
        def advance() -> None:
            raise KeyboardInterrupt

        yield advance

    with pytest.raises(KeyboardInterrupt):
        export_view(index, site, interrupted, replay=False)
    assert _files(site) == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_later_export_keeps_the_replays(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, asked = tmp_path / "site", []

    def ask(_self: Replays, run: Path, episode_id: str, _seconds: float) -> FactsView:
        asked.append((run.name, episode_id))
        return FactsView(READY, "", EpisodeFacts(None, (), (), f"of {episode_id}"))

    monkeypatch.setattr(Replays, "ask", ask)
    first = export_view(index, site, quiet_stage)
    facts = {name: data for name, data in _files(site).items() if "facts" in name}
    assert first.replayed == len(asked) == len(facts) > 0
    second = export_view(index, site, quiet_stage, replay=False)
    assert (second.replayed, second.kept) == (0, len(facts))
    assert {name: data for name, data in _files(site).items() if "facts" in name} == facts


def test_an_export_has_the_chosen_runs_and_counts_its_bytes(index: Index, tmp_path: Path) -> None:
    report = export_view(index, tmp_path / "site", quiet_stage, replay=False)
    assert report.problems == []
    assert report.bytes == sum(map(len, _files(tmp_path / "site").values()))
    none = export_view(index, tmp_path / "none", quiet_stage, runs=("no such run",), replay=False)
    assert (none.runs, none.episodes) == (0, 0)


def test_a_page_of_an_episode_is_never_larger_than_asked(index: Index) -> None:
    with index.read() as read:
        row = read.episodes().rows[0]
    whole = make_trace(index, row.run, row.episode_id, 10**7, replay=False)
    assert whole.note == ""
    assert whole.pictures > 1
    size = sum(map(len, _pictures(whole.text)))
    data = len(whole.text.encode()) - size
    with pytest.raises(TooLargeError):
        make_trace(index, row.run, row.episode_id, data // 2, replay=False)
    for part in (0, size // 3, 2 * size // 3):
        most = data + 500 + part
        less = make_trace(index, row.run, row.episode_id, most, replay=False)
        assert len(less.text.encode()) <= most
        assert json.dumps(less.note)[1:-1] in less.text
        assert part or "left out" in less.note


def _pictures(text: str) -> list[str]:
    return re.findall(r"data:image/webp;base64,[A-Za-z0-9+/=]+", text)


def test_a_picture_can_be_made_smaller() -> None:
    from env_service.view.trace_file import _smaller  # noqa: PLC0415 - of this test alone

    written = io.BytesIO()
    Image.effect_noise((200, 100), 90).convert("RGB").save(written, "WEBP", lossless=True)
    small = _smaller(written.getvalue(), 40, 0.5)
    assert len(small) < len(written.getvalue()) / 4
    assert Image.open(io.BytesIO(small)).size == (100, 50)
