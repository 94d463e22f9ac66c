"""What a user gives an agent on purpose: folders and variables, and no more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

from env_service.sandbox.options import ReadOnlyMount
from tests.conformance.sandbox.kit import Laboratory

READS = """
def tried(action):
    try:
        return action()
    except OSError as error:
        return error.errno
print(json.dumps({
    "read": open("/data/weights.txt").read(),
    "write": tried(lambda: open("/data/weights.txt", "a").close()),
    "add": tried(lambda: open("/data/more.txt", "w").close()),
    "remove": tried(lambda: os.remove("/data/weights.txt")),
    "variable": os.environ["MODEL_KEY"],
    "token": os.environ["HOUSEGUEST_TOKEN"],
    "data": os.listdir("/data"),
}))
"""
ERRORS = {13, 30}
"""EACCES, EROFS."""


def test_a_mounted_folder_is_read_and_not_changed(lab: Laboratory) -> None:
    weights = lab.folder / "weights"
    weights.mkdir()
    (weights / "weights.txt").write_text("0.5")
    lab.options = replace(
        lab.options,
        mounts=(ReadOnlyMount(weights, PurePosixPath("/data")),),
        environment={"MODEL_KEY": "sk-1", "HOUSEGUEST_TOKEN": "another session's"},
    )
    _, text = lab.run(READS)
    seen = json.loads(text)
    assert seen["read"] == "0.5"
    assert {seen["write"], seen["add"], seen["remove"]} <= ERRORS
    assert seen["data"] == ["weights.txt"]
    assert seen["variable"] == "sk-1"
    assert seen["token"] == "a-token"
