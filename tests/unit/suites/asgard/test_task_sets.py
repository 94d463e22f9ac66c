import json
import pickle
from pathlib import Path

import pytest

from env_service.datasets.errors import DataPackCorruptError
from env_service.suites.asgard.plan_reader import PlanError, read_plan
from env_service.suites.asgard.task_sets import (
    ITEM_CACHE,
    PLANS,
    data_patterns,
    load_task_set,
    make_task,
    read_task,
)
from tests.unit.suites.asgard.builders import ROOM_ITEMS, plan_data

CACHE = {"FloorPlan13": ROOM_ITEMS}


class FolderPack:
    """A data pack of whatever lies in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def require(self, patterns):
        found = [path for pattern in patterns for path in self.folder.glob(pattern)]
        return tuple(sorted(str(path.relative_to(self.folder)) for path in found))

    def path(self, relative):
        return self.folder / relative


@pytest.fixture
def pack(tmp_path):
    cache = tmp_path / ITEM_CACHE
    cache.parent.mkdir(parents=True)
    lists = {"types": ROOM_ITEMS.types, "names": ROOM_ITEMS.names}
    cache.write_text(json.dumps({key: {"FloorPlan13": [*lists[key]]} for key in lists}))
    return FolderPack(tmp_path)


def lay(pack, folder, text, kind="magt_benchmark"):
    path = pack.folder / "Generated" / kind / folder / "plan.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_plan_becomes_a_task_that_leads_back_to_it():
    data = plan_data()
    task = make_task(json.dumps(data), "plan.json", CACHE)
    assert (task.id, task.group) == ("cook__Egg_Pan(d)_FloorPlan13_V1", "cook_egg")
    assert task.cluster == "FloorPlan13"
    found = read_task(pickle.loads(pickle.dumps(task)))
    assert found.plan == read_plan(data, "plan.json")
    assert found.available == ROOM_ITEMS.words
    assert json.loads(json.dumps(task.data)) == task.data


def test_a_scene_without_words_is_refused():
    with pytest.raises(PlanError, match="no objects for FloorPlan13"):
        make_task(json.dumps(plan_data()), "plan.json", {})


def test_one_bad_plan_leaves_the_others_in(pack):
    other = plan_data(name="cook__Egg_FloorPlan13_V1")
    lay(pack, "b [34]", json.dumps(plan_data()))
    lay(pack, "a [34]", json.dumps(other))
    lay(pack, "c [34]", "{")
    lay(pack, "d [34]", b'{"name": "\xff"}')
    lay(pack, "e [34]", json.dumps(plan_data(step_count=0)))
    lay(pack, "f [34]", json.dumps(plan_data()))
    lay(pack, "g [34]", "[" * 100_000)
    strange = {"action": "dirty", "object_name": "Pan_00000000", "argument": None}
    lay(pack, "h [34]", json.dumps(plan_data(setup_actions=[strange])))
    lay(pack, "i [34]", '{"step_count": ' + "9" * 6000 + "}")
    found = load_task_set(pack, "official")
    assert [task.id for task in found.task_set.tasks] == [other["name"], plan_data()["name"]]
    assert found.task_set.name == "official"
    told = [str(problem) for problem in found.problems]
    assert [text.split("/")[2][0] for text in told] == ["c", "d", "e", "f", "g", "h", "i"]
    assert "line 1: is not JSON" in told[0]
    assert "UTF-8" in told[1]
    assert "step_count" in told[2]
    assert "another plan is called" in told[3]
    assert "nested too deeply" in told[4]
    assert "FloorPlan13 has no Pan_00000000" in told[5]
    assert "cannot be read" in told[6]


def test_an_item_cache_that_is_none_is_told_as_damage(pack):
    pack.path(ITEM_CACHE).write_text("{}", encoding="utf-8")
    with pytest.raises(DataPackCorruptError, match=r"item_cache.json.*data fetch asgard"):
        load_task_set(pack, "official")


def test_sanity_checks_are_a_set_of_their_own(pack):
    lay(pack, "a [34]", json.dumps(plan_data()), kind="magt_benchmark_sanity")
    assert len(load_task_set(pack, "sanity").task_set.tasks) == 1
    assert load_task_set(pack, "official").task_set.tasks == ()


def test_a_task_set_names_the_files_that_it_reads():
    assert data_patterns("official") == {"asgard": (ITEM_CACHE, PLANS["official"])}
    assert data_patterns("builtin") == {}
