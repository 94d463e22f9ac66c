"""An episode's player as one HTML file, with its data and pictures inside."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from PIL import Image

from env_service.index.store import Index
from env_service.results.pictures import RecordingError
from env_service.view.export import shown_picture
from env_service.view.export_entries import (
    Entries,
    EpisodeData,
    Picture,
    as_json,
    name_of,
    script,
)
from env_service.view.facts import DEADLINE, NONE, FactsView, Replays
from env_service.view.pages import BUNDLE

_SAMPLE = 8
"""Pictures that are encoded to estimate the size of all."""
_LEVELS = ((90, 1.0), (75, 1.0), (55, 1.0), (55, 0.75), (55, 0.5), (40, 0.35))
"""WebP qualities and scales of the width, from the best to the smallest."""
_BASE64 = 4 / 3
_LONGEST_NOTE = 400
"""Bytes of what the page says of its pictures, at most."""
_ENTRY = 150
"""Bytes around the data of a picture, at most."""


class TooLargeError(Exception):
    """An episode does not fit even without pictures. ``needed`` is in bytes."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"the file needs {needed} bytes without any picture")
        self.needed = needed


@dataclass(frozen=True, slots=True)
class TraceFile:
    """The page. ``note`` says what its pictures lack; ``problem`` why it has no facts."""

    text: str
    pictures: int
    note: str
    problem: str


def make_trace(
    index: Index, run: str, episode_id: str, most_bytes: int, *, replay: bool = True
) -> TraceFile:
    """The page of an episode of the index, of ``most_bytes`` at most.

    Pictures are as recorded if they fit. If not, all of them get a lower quality, then a smaller
    size; then some are left out, evenly over the episode. Raises RefusedError if there is no such
    episode, RecordingError and TooLargeError.
    """
    with closing(Entries(index, (run,))) as entries:
        data = entries.episode(run, episode_id)
        facts = _facts(entries.folder(run), episode_id) if replay else _WITHOUT
        scripts = _scripts(entries, run, episode_id, data, facts)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        title = f"{episode_id} in {run}"

        def page(note: str, pictures: Sequence[str]) -> str:
            only = {"run": run, "episode": episode_id, "note": note}
            catalogue = script("catalogue", as_json(entries.catalogue(made, only=only)))
            return _page(title, [catalogue, *scripts], pictures)

        left = most_bytes - len(page("", ()).encode()) - _LONGEST_NOTE
        if left < 0:
            raise TooLargeError(most_bytes - left)
        chosen = _fitted(entries.folder(run), data.pictures, left)
        text = page(chosen.note, chosen.scripts)
    return TraceFile(text, len(chosen.scripts), chosen.note, facts.problem)


_WITHOUT = FactsView(NONE, "this file was made without a replay", None)


def _facts(folder: Path, episode_id: str) -> FactsView:
    with closing(Replays()) as replays:
        return replays.ask(folder, episode_id, DEADLINE + 60)


def _scripts(
    entries: Entries, run: str, episode_id: str, data: EpisodeData, facts: FactsView
) -> list[str]:
    key, name = name_of(run), "episode"
    rows = [row for row in entries.rows(run) if row.episode_id == episode_id]
    # The logs are about all episodes.
    view = {**entries.run(run), "logs": [], "lost": [], "lost_agents": [], "playing": []}
    values: Mapping[str, Any] = {
        f"runs/{key}": {"view": view, "episodes": {episode_id: name}, "replayed": [name]},
        f"lists/{key}": entries.listed(run, rows),
        f"episodes/{name}": data.entry,
        f"facts/{name}": asdict(facts),
    }
    return [script(place, as_json(value)) for place, value in values.items()]


# --- Pictures that fit


@dataclass(frozen=True, slots=True)
class _Fitted:
    scripts: Sequence[str]
    note: str


def _fitted(run: Path, pictures: Sequence[Picture], room: int) -> _Fitted:
    found = {}
    for picture in pictures:
        try:
            found[picture.digest] = shown_picture(run, picture)
        except RecordingError:
            continue
    missing = len(pictures) - len(found)
    lost = [f"{missing} of {len(pictures)} pictures are missing in the run."] if missing else []
    if sum(map(_inlined, found.values())) <= room:
        return _Fitted([_picture(*each) for each in found.items()], " ".join(lost))
    digests = list(found)
    for quality, scale in _LEVELS:
        words = _words(quality, scale)
        sample = [_smaller(found[each], quality, scale) for each in _evenly(digests, _SAMPLE)]
        if _mean(sample) * len(digests) > room:
            continue
        packed = {each: _smaller(found[each], quality, scale) for each in digests}
        if sum(map(_inlined, packed.values())) <= room:
            return _Fitted([_picture(*each) for each in packed.items()], " ".join([words, *lost]))
    kept = _as_many(found, digests, room)
    fewer = f"{len(digests) - len(kept)} of {len(digests)} pictures are left out."
    note = " ".join([_words(*_LEVELS[-1]) if kept else "", fewer, *lost]).strip()
    return _Fitted([_picture(*each) for each in kept.items()], note)


def _as_many(found: Mapping[str, bytes], digests: Sequence[str], room: int) -> dict[str, bytes]:
    """As many of the smallest pictures as there is room for, evenly over the episode."""
    packed = {each: _smaller(found[each], *_LEVELS[-1]) for each in digests}
    least, most = 0, len(digests)
    while least < most:
        middle = (least + most + 1) // 2
        size = sum(_inlined(packed[each]) for each in _evenly(digests, middle))
        least, most = (middle, most) if size <= room else (least, middle - 1)
    return {each: packed[each] for each in _evenly(digests, least)}


def _evenly(names: Sequence[str], count: int) -> list[str]:
    """At most ``count`` of the names, the first and the last among them."""
    if count >= len(names):
        return list(names)
    if count == 1:
        return [names[-1]]
    return [names[round(each * (len(names) - 1) / (count - 1))] for each in range(count)]


def _words(quality: int, scale: float) -> str:
    size = "" if scale == 1 else f" and at {round(100 * scale)} % of their width"
    return f"Pictures are stored with WebP quality {quality}{size}."


def _smaller(data: bytes, quality: int, scale: float) -> bytes:
    with Image.open(io.BytesIO(data)) as picture:
        shown = picture.convert("RGB")
    if scale != 1:
        shown = shown.resize(
            (max(1, round(shown.width * scale)), max(1, round(shown.height * scale)))
        )
    written = io.BytesIO()
    shown.save(written, "WEBP", quality=quality)
    return written.getvalue()


def _mean(sample: Sequence[bytes]) -> float:
    return sum(map(_inlined, sample)) / max(len(sample), 1)


def _inlined(data: bytes) -> int:
    return round(len(data) * _BASE64) + _ENTRY


def _picture(digest: str, data: bytes) -> str:
    kind = {b"\x89PNG": "png", b"\xff\xd8\xff\xe0": "jpeg"}.get(data[:4])
    kind = kind or ("jpeg" if data[:2] == b"\xff\xd8" else "webp")
    return script(
        f"pictures/{digest}", f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    )


# --- The page


def _page(title: str, scripts: Sequence[str], pictures: Sequence[str]) -> str:
    data = "".join([*scripts, *pictures])
    app = _inline((BUNDLE / "app.js").read_text(encoding="utf-8"))
    style = (BUNDLE / "app.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src {_hash(data)} {_hash(app)}; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="content-security-policy" content="{policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{_escaped(title)}</title>
    <link rel="icon" href="data:," />
    <style>{style}</style>
  </head>
  <body>
    <div id="app"></div>
    <noscript>The viewer needs JavaScript.</noscript>
    <script>{data}</script>
    <script>{app}</script>
  </body>
</html>
"""


def _inline(code: str) -> str:
    """Code that cannot end its element, nor begin a comment of HTML in it."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _escaped(text: str) -> str:
    return html.escape("".join(each if each.isprintable() else "?" for each in text))


def _hash(code: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(code.encode()).digest()).decode()}'"
