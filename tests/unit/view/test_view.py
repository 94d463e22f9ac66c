"""The viewer's service: every route, its bounds, and who may call it."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema
import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from env_service.domain.observation import Channel, EncodedImage, ImageEncoding, ImageRole
from env_service.index.store import Index
from env_service.results.pictures import RecordingError, read_picture
from env_service.results.run_folder import RunFolder
from env_service.storage.frame_store import FrameStore
from env_service.storage.signing_key import SigningKey
from env_service.view.api import OPERATIONS
from env_service.view.app import make_app
from env_service.view.events import _WAITING, Changes
from env_service.view.pages import page_routes
from tests.support.indexed import new_index
from tests.support.made_run import made_text, write_run
from tests.support.played_run import LOSING, WINNING, Player, lab_manifest, play_run

BASE = "http://localhost"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the same tasks: play_run's, and one of another agent that wins the third."""
    place = tmp_path_factory.mktemp("viewed")
    folder, key = place / "runs", SigningKey.load_or_create(place / "key.pem")
    play_run(folder, key)
    manifest = replace(lab_manifest(), run_id="run-2", agent="Other/1.0")
    other = RunFolder.open(folder, manifest, key)
    player = Player(other, ImageEncoding.PNG)
    for number, task_id in enumerate(manifest.task_ids):
        player.play(task_id, 0, WINNING if number in (0, 2) else LOSING)
    other.write_summary()
    (other.path / "logs").mkdir(exist_ok=True)
    (other.path / "logs" / "guest-1.log").write_text("<b>one</b>\ntwo\n")
    other.close()
    return folder


@pytest.fixture(scope="module")
def index(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with new_index(runs, tmp_path_factory.mktemp("index") / "index.sqlite3") as made:
        made.sync()
        yield made


@pytest.fixture(scope="module")
def client(index: Index) -> Iterator[TestClient]:
    yield TestClient(make_app(index), base_url=BASE)


@pytest.fixture(scope="module")
def names(client: TestClient) -> tuple[str, str]:
    """The paths of play_run's run, and of the other."""
    rows = client.get("/api/runs?sort=rate&order=asc").json()["rows"]
    by_agent = {row["agent"]: row["path"] for row in rows}
    return by_agent["Scripted/1.0"], by_agent["Other/1.0"]


def _get(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()


def _addresses(client: TestClient, run: str, other: str) -> dict[str, str]:
    """An address of every operation."""
    episode = _get(client, f"/api/runs/{run}/episodes")["rows"][0]["episode_id"]
    filled = {"{run}": run, "{episode}": episode, "{log}": "guest-1.log"}
    found = {}
    for operation in OPERATIONS:
        if operation.method != "get":
            continue
        address = operation.path
        for part, value in filled.items():
            address = address.replace(part, value)
        found[operation.path] = address
    found["/api/comparisons"] += f"?first={run}&second={other}"
    found["/api/partings"] += f"?first={run}&second={run}"
    found["/api/partings"] += f"&first_episode={episode}&second_episode={episode}"
    return found


def test_every_route_is_described_and_every_answer_is_valid(
    client: TestClient, names: tuple[str, str]
) -> None:
    document = _get(client, "/api/openapi.json")
    routes = {route.path for route in client.app.routes}  # type: ignore[attr-defined]
    pages = {route.path for route in page_routes()}
    assert routes - pages == set(document["paths"])
    for path, address in _addresses(client, names[1], names[0]).items():
        response = document["paths"][path]["get"]["responses"]["200"]
        schema = response["content"]["application/json"]["schema"]
        whole = {**schema, "components": document["components"]}
        jsonschema.Draft202012Validator(whole).validate(_get(client, address))


def test_runs_are_filtered_sorted_and_paged(client: TestClient, names: tuple[str, str]) -> None:
    assert _get(client, "/api/runs")["total"] == 2
    chosen = _get(client, "/api/runs?agent=Other/1.0&status=complete")
    assert [row["path"] for row in chosen["rows"]] == [names[1]]
    page = _get(client, "/api/runs?sort=agent&order=asc&offset=1&limit=1")
    assert page["total"] == 2
    assert [row["path"] for row in page["rows"]] == [names[0]]
    assert _get(client, "/api/facets")["agents"] == {"Other/1.0": 1, "Scripted/1.0": 1}


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=501",
        "offset=-1",
        "offset=99999999999999999999",
        "limit=1&limit=2",
        "limit=%C2%B2",
        "sort=password",
        "status=odd",
        "unknown=1",
        "search=%00",
        "search=" + "x" * 1001,
    ],
)
def test_a_bad_parameter_is_refused_with_its_name(client: TestClient, query: str) -> None:
    answer = client.get(f"/api/runs?{query}")
    assert answer.status_code == 400
    assert query.partition("=")[0] in answer.json()["error"]


def test_a_run_has_its_groups_failures_and_lost_attempts(
    client: TestClient, names: tuple[str, str]
) -> None:
    run = _get(client, f"/api/runs/{names[0]}")
    assert (run["run"]["scored"], run["run"]["successes"]) == (4, 2)
    assert {each["kind"] for each in run["lost"]} == {"void", "uncounted"}
    assert sum(group["scored"] for group in run["groups"]) == 4
    log = _get(client, f"/api/runs/{names[1]}/logs/guest-1.log?bytes=4")
    assert log["text"] == "two\n"
    assert log["cut"]


def test_episodes_are_filtered(client: TestClient, names: tuple[str, str]) -> None:
    won = _get(client, f"/api/runs/{names[0]}/episodes?outcome=success")
    assert won["total"] == 2
    assert all(row["success"] for row in won["rows"])
    assert _get(client, "/api/episodes?outcome=failure")["total"] == 4
    assert client.get("/api/episodes?label=nothing").status_code == 400


def test_an_episode_has_its_steps_as_shown_and_as_true(
    client: TestClient, names: tuple[str, str]
) -> None:
    rows = _get(client, f"/api/runs/{names[0]}/episodes?outcome=success")["rows"]
    address = f"/api/runs/{names[0]}/episodes/{rows[0]['episode_id']}"
    episode = _get(client, address)
    assert episode["steps"] == 3
    assert episode["begin"]["instruction"] == rows[0]["instruction"]
    assert episode["end"]["success"] is True
    page = _get(client, f"{address}/steps?offset=1&limit=1")
    assert (page["total"], page["next"], len(page["rows"])) == (3, 2, 1)
    step = page["rows"][0]
    assert step["place"] == 1
    assert step["true"][0]["code"] == "PHYSICALLY_BLOCKED"
    assert step["shown"][0]["code"] != "PHYSICALLY_BLOCKED"
    assert step["said"]["thought"] == "…"
    assert _get(client, f"{address}/steps?offset=3")["rows"] == []


@pytest.mark.parametrize("which", [0, 1])
def test_pictures_are_cached_for_ever(
    client: TestClient, names: tuple[str, str], which: int
) -> None:
    rows = _get(client, f"/api/runs/{names[which]}/episodes")["rows"]
    steps = _get(client, f"/api/runs/{names[which]}/episodes/{rows[0]['episode_id']}/steps")
    shot = steps["rows"][0]["pictures"][0]
    assert shot["showable"]
    url = f"/api/runs/{names[which]}/pictures/{shot['sha256']}?encoding={shot['encoding']}"
    answer = client.get(url)
    assert answer.status_code == 200
    assert answer.headers["content-type"] in ("image/webp", "image/png")
    assert "immutable" in answer.headers["cache-control"]
    again = client.get(url, headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    missing = client.get(f"/api/runs/{names[which]}/pictures/{'0' * 64}")
    assert missing.status_code == 404


def test_two_runs_are_compared(client: TestClient, names: tuple[str, str]) -> None:
    found = _get(client, f"/api/comparisons?first={names[0]}&second={names[1]}&limit=1")
    assert found["flips"] == {"both": 1, "only_first": 1, "only_second": 1, "neither": 1}
    assert (found["tasks"], found["difference"], found["p_value"]) == (4, 0.0, 1.0)
    assert found["pairs"]["total"] == 4
    assert len(found["pairs"]["rows"]) == 1


def test_two_episodes_part_at_a_step(client: TestClient, names: tuple[str, str]) -> None:
    pairs = _get(client, f"/api/comparisons?first={names[0]}&second={names[1]}")["pairs"]["rows"]

    def parting(first: str, second: str) -> Any:
        asked = f"first={names[0]}&first_episode={first}&second={names[1]}&second_episode={second}"
        return _get(client, f"/api/partings?{asked}")

    (flip,) = (each for each in pairs if each["first_success"] and not each["second_success"])
    found = parting(flip["first"], flip["second"])
    assert (found["step"], found["first_steps"], found["second_steps"]) == (1, 3, 3)
    assert found["first_action"] != found["second_action"]
    (same,) = (each for each in pairs if each["first_success"] and each["second_success"])
    assert parting(same["first"], same["second"])["step"] is None
    missing = f"first={names[0]}&first_episode=no&second={names[1]}&second_episode=no"
    assert client.get(f"/api/partings?{missing}").status_code == 404


def test_depth_is_shown_in_grey(tmp_path: Path) -> None:
    metres = np.array([[1.0, 2.0, np.inf], [4.0, np.nan, 2.0]], "<f4")
    data = metres.tobytes()
    store = FrameStore(tmp_path / "frames")
    digest = sha256(data).digest()
    image = EncodedImage(
        Channel.DEPTH, ImageEncoding.RAW_F32, 3, 2, ImageRole.CURRENT, "", digest, data
    )
    store.put(image)
    picture = read_picture(tmp_path, digest.hex(), "RAW_F32", 3)
    with Image.open(io.BytesIO(picture.data)) as shown:
        grey = np.asarray(shown)[:, :, 0]
    assert grey.tolist() == [[191, 127, 0], [0, 0, 127]]
    for width in (0, 4):
        with pytest.raises(RecordingError, match="width"):
            read_picture(tmp_path, digest.hex(), "RAW_F32", width)


def test_tasks_and_leaderboards(client: TestClient) -> None:
    tasks = _get(client, "/api/tasks")
    assert [row["rate"] for row in tasks["rows"]] == sorted(row["rate"] for row in tasks["rows"])
    boards = _get(client, "/api/leaderboards")["rows"]
    assert {row["agent"] for row in boards[0]["standings"]} == {"Other/1.0", "Scripted/1.0"}


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e", "..%2f..", "a%00b", "x" * 3000, "%0a", "%ff", ".hidden", "nothing"]
)
def test_hostile_names_find_nothing(client: TestClient, names: tuple[str, str], name: str) -> None:
    run = names[0]
    for address in (
        f"/api/runs/{name}",
        f"/api/runs/{name}/episodes",
        f"/api/runs/{run}/episodes/{name}",
        f"/api/runs/{run}/episodes/{name}/steps",
        f"/api/runs/{run}/logs/{name}",
        f"/api/runs/{run}/pictures/{name}",
    ):
        # httpx would resolve dots itself.
        answer = client.get(address.replace("/..", "/%2e%2e"))
        assert answer.status_code in (404, 414), address


def test_links_and_changed_files_are_not_served(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    path, _ = play_run(folder, SigningKey.load_or_create(tmp_path / "key.pem"))
    (tmp_path / "secret").write_text("secret")
    (path / "logs" / "service.log").unlink(missing_ok=True)
    (path / "logs" / "service.log").symlink_to(tmp_path / "secret")
    (path / "transcripts" / "linked.jsonl").symlink_to(tmp_path / "secret")
    with new_index(folder, tmp_path / "index.sqlite3") as index:
        index.sync()
        client = TestClient(make_app(index), base_url=BASE)
        rows = _get(client, f"/api/runs/{path.name}/episodes")["rows"]
        assert client.get(f"/api/runs/{path.name}/logs/service.log").status_code == 404
        assert client.get(f"/api/runs/{path.name}/episodes/linked").status_code == 404

        transcript = path / "transcripts" / f"{rows[0]['episode_id']}.jsonl"
        lines = transcript.read_bytes().splitlines(keepends=True)
        transcript.write_bytes(b"".join([*lines[:2], b"{broken\n", *lines[3:]]))
        address = f"/api/runs/{path.name}/episodes/{rows[0]['episode_id']}"
        steps = _get(client, f"{address}/steps")["rows"]
        assert [bool(step["problem"]) for step in steps] == [True, False, False]
        transcript.unlink()
        assert "cannot be read" in _get(client, address)["problem"]
        assert client.get(f"{address}/steps").status_code == 404

        moved = tmp_path / "moved"
        path.rename(moved)
        path.symlink_to(moved)
        assert client.get(f"{address}/steps").status_code == 404


def test_a_corrupt_run_is_listed_with_its_problem(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "broken").mkdir(parents=True)
    (folder / "broken" / "manifest.json").write_text("{")
    with new_index(folder, tmp_path / "index.sqlite3") as index:
        index.sync()
        client = TestClient(make_app(index), base_url=BASE)
        run = _get(client, "/api/runs/broken")["run"]
        assert run["status"] == "unreadable"
        assert run["problem"]


# --- Annotations


def _notes(client: TestClient, **changed: Any) -> dict[str, Any]:
    run = _get(client, "/api/runs?sort=rate&order=asc")["rows"][0]["path"]
    episode = _get(client, f"/api/runs/{run}/episodes")["rows"][0]["episode_id"]
    return {
        "run": run,
        "episode_id": episode,
        "step": 1,
        "tag": "odd",
        "comment": "=1+1",
        **changed,
    }


def test_annotations_are_kept_listed_exported_and_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    play_run(folder, SigningKey.load_or_create(tmp_path / "key.pem"))
    with Index.open(folder) as index:
        index.sync()
        client = TestClient(make_app(index), base_url=BASE)
        asked = _notes(client)
        made = client.post("/api/annotations", json=asked, headers={"origin": BASE})
        assert made.status_code == 200
        assert made.json() == {**asked, "id": 1, "created": made.json()["created"]}
        assert client.post("/api/annotations", json={**asked, "step": None}).status_code == 200
    # The second opening rebuilds the index.
    with Index.open(folder, rebuild=True) as index:
        index.sync()
        client = TestClient(make_app(index), base_url=BASE)
        document = _get(client, "/api/openapi.json")
        schema = document["paths"]["/api/annotations"]["post"]["responses"]["200"]
        whole = {
            **schema["content"]["application/json"]["schema"],
            "components": document["components"],
        }
        jsonschema.Draft202012Validator(whole).validate(made.json())
        where = f"run={asked['run']}&episode={asked['episode_id']}&tag=odd"
        found = _get(client, f"/api/annotations?{where}&limit=1")
        assert (found["total"], found["rows"]) == (2, [made.json()])
        assert _get(client, "/api/annotations?tag=other")["total"] == 0
        lines = client.get("/api/annotations.csv").text.splitlines()
        assert lines[0] == "id,run,episode_id,step,tag,comment,created"
        assert ",odd,'=1+1," in lines[1]
        assert client.delete("/api/annotations/1").json() == {"deleted": True}
        assert client.delete("/api/annotations/1").json() == {"deleted": False}
        assert _get(client, "/api/annotations")["total"] == 1


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"run": ".."}, 404),
        ({"run": "nothing"}, 404),
        ({"episode_id": "../manifest"}, 404),
        ({"episode_id": "nothing"}, 404),
        ({"step": -1}, 400),
        ({"step": True}, 400),
        ({"step": 2**40}, 400),
        ({"tag": "", "comment": " "}, 400),
        ({"tag": "x" * 65}, 400),
        ({"comment": "x" * 4001}, 400),
        ({"comment": "\ud800"}, 400),
        ({"comment": "\0"}, 400),
        ({"comment": 1}, 400),
        ({"more": 1}, 400),
        ({"comment": "x" * 40_000}, 413),
    ],
)
def test_a_bad_annotation_is_refused(
    client: TestClient, changed: dict[str, Any], status: int
) -> None:
    headers = {"content-type": "application/json"}
    body = json.dumps(_notes(client, **changed))
    answer = client.post("/api/annotations", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]


def test_annotations_are_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("env_service.index.annotations.MOST_ANNOTATIONS", 0)
    assert client.post("/api/annotations", json=_notes(client)).status_code == 400
    headers = {"content-type": "application/json"}
    for body in ("{", "[]", "[" * 10_000):
        assert client.post("/api/annotations", content=body, headers=headers).status_code == 400
    for key in ("x", "9" * 30, "%00", "-1"):
        assert client.delete(f"/api/annotations/{key}").status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://localhost:3000"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_pages_elsewhere_cannot_annotate(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    body = json.dumps(_notes(client))
    whole = {"content-type": "application/json", **headers}
    assert client.post("/api/annotations", content=body, headers=whole).status_code == status
    if status == 403:
        assert client.delete("/api/annotations/1", headers=headers).status_code == 403


# --- Who may call


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1@evil"])
def test_other_names_of_this_host_are_refused(client: TestClient, host: str) -> None:
    assert client.get("/api/runs", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:7080", "127.0.0.1:1", "[::1]:7080", "LOCALHOST"])
def test_loopback_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/runs", headers={"host": host}).status_code == 200


def test_a_token_is_needed_once_one_is_set(index: Index) -> None:
    client = TestClient(make_app(index, "secret"), base_url="http://viewer.example")
    for headers in ({}, {"authorization": "Bearer other"}, {"authorization": "secret"}):
        assert client.get("/api/runs", headers=headers).status_code == 401
    assert client.get("/api/runs?token=secret").status_code == 401
    good = {"authorization": "Bearer secret"}
    assert client.get("/api/runs", headers=good).status_code == 200
    opened = client.get("/?token=secret", follow_redirects=False)
    assert opened.status_code == 303
    assert "HttpOnly" in opened.headers["set-cookie"]
    assert client.get("/api/runs").status_code == 200


def test_answers_have_headers_that_hold_a_browser_back(client: TestClient) -> None:
    for path in ("/api/runs", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    assert client.post("/api/runs").status_code == 405


# --- Events


async def _next(stream: AsyncIterator[str]) -> tuple[str, Any]:
    text = await asyncio.wait_for(anext(stream), 30)
    fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
    return fields["event"], json.loads(fields["data"])


def test_an_added_episode_is_an_event(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    folder = RunFolder.open(runs, lab_manifest(), SigningKey.load_or_create(tmp_path / "key.pem"))
    player = Player(folder)

    async def follow(index: Index) -> None:
        changes = Changes(index, 0.01)
        await changes.look()
        stream, other = changes.listen(), changes.listen()
        assert (await _next(stream))[0] == "ready"
        assert (await _next(other))[0] == "ready"
        loop = asyncio.create_task(changes.run())
        player.play(folder.manifest.task_ids[0], 0, WINNING)
        for each in (stream, other):
            kind, data = await _next(each)
            assert (kind, data["changed"]) == ("change", [folder.path.name])
        loop.cancel()

    with new_index(runs, tmp_path / "index.sqlite3") as index:
        asyncio.run(follow(index))
    folder.close()


def test_a_slow_client_is_asked_to_load_again(index: Index) -> None:
    async def lag() -> None:
        changes = Changes(index)
        stream = changes.listen()
        await _next(stream)
        for _ in range(_WAITING + 1):
            changes._send("change", {})
        assert (await _next(stream))[0] == "reload"

    asyncio.run(lag())


def test_figures_of_a_report_are_images_that_run_nothing(tmp_path: Path) -> None:
    write_run(tmp_path, made_text("run with <i>", tasks=6, suite="babyai", world="babyai"))
    with new_index(tmp_path, tmp_path / "index.sqlite3") as index:
        index.sync()
        client = TestClient(make_app(index), base_url=BASE)
        run = quote("run with <i>")
        found = _get(client, f"/api/runs/{run}/figures")
        assert found["problem"] == ""
        assert "success" in [each["name"] for each in found["rows"]]
        for each in found["rows"]:
            answer = client.get(f"/api/runs/{run}/figures/{each['name']}.svg")
            assert answer.headers["content-type"] == "image/svg+xml"
            policy = answer.headers["content-security-policy"]
            assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert b"<script" not in answer.content
        assert client.get(f"/api/runs/{run}/figures/report.svg").status_code == 404


def test_numbers_that_javascript_would_round_are_texts(tmp_path: Path) -> None:
    path, _ = play_run(tmp_path, SigningKey.generate())
    transcript = next((path / "transcripts").glob("ep-*.jsonl"))
    lines = transcript.read_text().splitlines()
    step = json.loads(lines[2])
    step["trace"] = {"large": 2**53 + 1, "small": 2**53 - 1, "huge": -(10**40)}
    lines[2] = json.dumps(step).replace('"large"', '"infinite": 1e999, "large"')
    transcript.write_text("\n".join(lines) + "\n")
    with new_index(tmp_path, tmp_path / "index.sqlite3") as index:
        index.sync()
        client = TestClient(make_app(index), base_url=BASE)
        place = f"/api/runs/{path.name}/episodes/{transcript.stem}"
        assert _get(client, f"{place}/steps")["rows"][0]["said"]["trace"] == {
            "infinite": "1e999",
            "large": str(2**53 + 1),
            "small": 2**53 - 1,
            "huge": str(-(10**40)),
        }
        assert type(_get(client, place)["record"]["episode"]["seed"]) is str
