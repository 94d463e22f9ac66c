"""The viewer as a folder of files, which a browser opens without a service."""

from __future__ import annotations

import io
import json
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from PIL import Image

from env_service.index.store import Index
from env_service.results.pictures import RecordingError, read_picture
from env_service.results.run_layout import FRAMES
from env_service.storage.frame_store import packed_path
from env_service.storage.plain_files import MOST_GIVEN, check_no_link, read_plain
from env_service.view.export_entries import Entries, Picture, as_json, name_of, script
from env_service.view.facts import DEADLINE, NONE, PENDING, FactsView, Replays
from env_service.view.pages import BUNDLE, without_inline_scripts
from env_service.view.requests import RefusedError

MARK = "export.json"
"""The file by which a folder is known to be an export."""
_DATA, _PICTURES, _FIGURES = "data", "pictures", "figures"
_MOST_JOBS = 4
_TOGETHER = 50
"""Replays of a process, which then ends with all that a simulator may keep."""
_PATIENCE = DEADLINE + 60
_SUFFIXES = {"PNG": "png", "JPEG": "jpg"}
_KIND = "houseguest view"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'none'"
)

Stage = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Shows a stage by its name and the number of its parts; to be called after each part."""


class ExportError(Exception):
    """An export cannot be written. The message says why, and how to mend it."""


@dataclass(slots=True)
class ExportReport:
    """What was exported. ``bytes`` counts all files, also those that share their disk space with a
    run; ``problems`` are (run or episode, why it is incomplete)."""

    runs: int = 0
    episodes: int = 0
    pictures: int = 0
    replayed: int = 0
    kept: int = 0
    """Replays that the earlier export already had."""
    bytes: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)


def export_view(
    index: Index, out: Path, stage: Stage, *, runs: Sequence[str] = (), replay: bool = True
) -> ExportReport:
    """Writes the viewer of these runs, or of all runs of the index, into a folder.

    Replaces an earlier export as a whole: until the end ``out`` is as it was. Without ``replay``,
    facts of episodes come only from the earlier export, and there are no figures of reports. Raises
    ExportError if ``out`` is anything but an export or an empty folder, or if it cannot be written.
    """
    check_place(out)
    draft = out.absolute().with_name(f".{out.absolute().name}.{secrets.token_hex(4)}")
    try:
        with closing(Entries(index, runs)) as entries:
            draft.mkdir(parents=True)
            report = _Export(entries, draft, out, stage).write(replay=replay)
        _replace(out, draft)
    except OSError as error:
        raise ExportError(
            f"{out} cannot be written: {error.strerror}. Name another folder."
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return report


def check_place(out: Path) -> None:
    """Raises ExportError unless the folder is missing, empty, or an export."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise ExportError(f"{out} is a link or a file: name another folder.")
    names = {each.name for each in out.iterdir()} if out.is_dir() else set()
    if not names:
        return
    if not is_export(out):
        raise ExportError(f"{out} is not an export of the viewer: name another folder.")
    ours = {MARK, _DATA, _PICTURES, _FIGURES, *(each.name for each in BUNDLE.iterdir())}
    if others := sorted(names - ours):
        raise ExportError(
            f"{out} also contains {others[0]}, which the export would delete: move it elsewhere."
        )


def is_export(folder: Path) -> bool:
    """Whether the folder holds an export."""
    try:
        value = json.loads(read_plain(folder / MARK, MOST_GIVEN, within=folder))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("kind") == _KIND


def _replace(out: Path, draft: Path) -> None:
    old = draft.with_name(f"{draft.name}.old")
    with suppress(FileNotFoundError):
        out.rename(old)
    try:
        draft.rename(out)
    except OSError:
        with suppress(OSError):
            old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


class _Export:
    """One export, into the folder ``draft``. ``earlier`` may be the one that it replaces."""

    def __init__(self, entries: Entries, draft: Path, earlier: Path, stage: Stage) -> None:
        self._entries, self._draft, self._earlier = entries, draft, earlier
        self._stage = stage
        self._report = ExportReport(runs=len(entries.runs))

    def write(self, *, replay: bool) -> ExportReport:
        entries, report = self._entries, self._report
        made = datetime.now(UTC).isoformat(timespec="seconds")
        self._put(MARK, json.dumps({"kind": _KIND, "made": made}) + "\n")
        self._put_bundle()
        self._put_entry("catalogue", entries.catalogue(made))
        for path, numbers in entries.comparisons():
            self._put_entry(f"compared/{name_of(path)}", numbers)
        found = self._put_episodes()
        known = self._replayed(found, replay=replay)
        if replay:
            self._put_figures()
        for path, (view, names) in found.items():
            replayed = sorted(known.intersection(names.values()))
            value = {"view": view, "episodes": names, "replayed": replayed}
            self._put_entry(f"runs/{name_of(path)}", value)
        if entries.left_out:
            report.problems.append(("runs", f"{entries.left_out} more runs are left out"))
        return report

    def _put_bundle(self) -> None:
        for path in BUNDLE.iterdir():
            text = path.read_text(encoding="utf-8")
            self._put(path.name, static_page(text) if path.name == "index.html" else text)

    def _put_episodes(self) -> dict[str, tuple[Mapping[str, Any], dict[str, str]]]:
        """Writes the episodes of each run; returns the answer about it, and the episodes' names."""
        found = {}
        entries = self._entries
        with self._stage("writing episodes", sum(run.final for run in entries.runs)) as advance:
            for run in entries.runs:
                path, key = run.path, name_of(run.path)
                rows, view = entries.rows(path), entries.run(path)
                self._put_entry(f"lists/{key}", entries.listed(path, rows))
                self._put_entry(f"logs/{key}", entries.logs(path, view))
                names: dict[str, str] = {}
                for row in rows:
                    self._put_episode(path, row.episode_id, names)
                    advance()
                others = [*view["playing"], *(each["episode_id"] for each in view["lost"])]
                for episode_id in others:
                    if episode_id not in names:
                        self._put_episode(path, episode_id, names)
                found[path] = view, names
        return found

    def _put_episode(self, path: str, episode_id: str, names: dict[str, str]) -> None:
        try:
            name = self._entries.episode_name(path, episode_id)
            data = self._entries.episode(path, episode_id)
            self._put_entry(f"episodes/{name}", data.entry)
            self._put_pictures(self._entries.folder(path), data.pictures)
        except (RefusedError, RecordingError) as error:
            self._report.problems.append((f"{path}, {episode_id}", str(error)))
            return
        names[episode_id] = name
        self._report.episodes += 1

    # --- Pictures

    def _put_pictures(self, run: Path, pictures: Iterable[Picture]) -> None:
        for picture in pictures:
            digest, suffix = picture.digest, _SUFFIXES.get(picture.encoding, "webp")
            path = self._draft / _PICTURES / digest[:2] / f"{digest}.{suffix}"
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                if picture.encoding != "RAW" or not _linked(run, digest, path):
                    path.write_bytes(shown_picture(run, picture))
            except RecordingError as error:
                self._report.problems.append((f"{run.name}, picture {digest[:12]}", str(error)))
                continue
            self._report.pictures += 1
            self._report.bytes += path.stat().st_size

    def _put_figures(self) -> None:
        """Draws the figures of each run's report that does not play."""
        with self._stage("drawing figures", len(self._entries.runs)) as advance:
            for run in self._entries.runs:
                key = name_of(run.path)
                try:
                    drawn = self._entries.figures(run.path)
                except RefusedError:
                    advance()
                    continue
                self._put_entry(f"figures/{key}", asdict(drawn.view))
                for name, picture in drawn.pictures.items():
                    self._put(f"{_FIGURES}/{key}/{name}.svg", picture)
                advance()

    # --- Facts

    def _replayed(
        self, found: Mapping[str, tuple[Mapping[str, Any], Mapping[str, str]]], *, replay: bool
    ) -> set[str]:
        """The names of episodes whose facts the export has."""
        done = set()
        wanted = []
        for path, (_, names) in found.items():
            for episode_id, name in names.items():
                if self._keep_facts(name):
                    done.add(name)
                else:
                    wanted.append((path, episode_id, name))
        self._report.kept = len(done)
        if not (replay and wanted):
            return done
        with self._stage("replaying episodes", len(wanted)) as advance, _Replaying() as replaying:
            folders = [(self._entries.folder(path), episode) for path, episode, _ in wanted]
            for (_, _, name), view in zip(wanted, replaying.facts(folders), strict=True):
                self._put_entry(f"facts/{name}", asdict(view))
                self._report.replayed += view.facts is not None
                done.add(name)
                advance()
        return done

    def _keep_facts(self, name: str) -> bool:
        """Takes the facts of an episode from the earlier export, if it has them."""
        place = f"{_DATA}/facts/{name}.js"
        path = self._draft / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _hard_link(self._earlier / place, self._earlier, path):
            return False
        self._report.bytes += path.stat().st_size
        return True

    # --- Files

    def _put_entry(self, name: str, value: Any) -> None:
        self._put(f"{_DATA}/{name}.js", script(name, as_json(value)))

    def _put(self, name: str, text: str | bytes) -> None:
        path = self._draft / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode() if isinstance(text, str) else text
        path.write_bytes(data)
        self._report.bytes += len(data)


def static_page(text: str) -> str:
    """The document of the bundle, for an export."""
    before = '<script defer src="./app.js">'
    data = f'<script defer src="./{_DATA}/catalogue.js"></script>\n    '
    policy = f'\n    <meta http-equiv="content-security-policy" content="{_POLICY}" />'
    charset = '<meta charset="utf-8" />'
    text = without_inline_scripts(text)
    return text.replace(before, data + before).replace(charset, charset + policy)


# --- Pictures as files


def shown_picture(run: Path, picture: Picture) -> bytes:
    """The bytes of a picture for a page: JPEG and PNG as recorded, all others WebP.

    Raises RecordingError if it is absent, changed or of a kind that browsers cannot show.
    """
    found = read_picture(run, picture.digest, picture.encoding, picture.width)
    if picture.encoding in _SUFFIXES or found.kind == "image/webp":
        return found.data
    written = io.BytesIO()
    Image.open(io.BytesIO(found.data)).save(written, "WEBP", lossless=True)
    return written.getvalue()


def _linked(run: Path, digest: str, path: Path) -> bool:
    return _hard_link(packed_path(run / FRAMES, bytes.fromhex(digest)), run, path)


def _hard_link(source: Path, within: Path, path: Path) -> bool:
    """Links a plain file below ``within``, on the same disk; False if that is not possible."""
    try:
        check_no_link(source, within)
        if not stat.S_ISREG(source.lstat().st_mode):
            return False
        os.link(source, path, follow_symlinks=False)
    except OSError:
        return False
    return True


# --- Replays of several episodes at once


class _Replaying:
    """Some replays at once, which all end with the context."""

    def __init__(self) -> None:
        self._all = [Replays(_TOGETHER) for _ in range(min(os.cpu_count() or 1, _MOST_JOBS))]
        self._free: SimpleQueue[Replays] = SimpleQueue()
        for each in self._all:
            self._free.put(each)
        self._pool = ThreadPoolExecutor(len(self._all), thread_name_prefix="export")

    def facts(self, episodes: Iterable[tuple[Path, str]]) -> Iterator[FactsView]:
        """The facts of (run's folder, episode's id) each, in order."""
        return self._pool.map(lambda each: self._one(*each), episodes)

    def _one(self, run: Path, episode_id: str) -> FactsView:
        replays = self._free.get()
        try:
            found = replays.ask(run, episode_id, _PATIENCE)
        except RecordingError as error:
            return FactsView(NONE, str(error), None)
        finally:
            self._free.put(replays)
        if found.state == PENDING:
            return FactsView(NONE, "the replay took too long", None)
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        for each in self._all:
            each.close()
