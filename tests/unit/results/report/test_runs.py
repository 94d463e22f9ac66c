"""How runs are told apart, and which stand together."""

from __future__ import annotations

from dataclasses import replace

from env_service.results.report.provenance import notices
from env_service.results.report.runs import agent_name, families, kinship, make_family
from env_service.results.run_reader import RunContents
from tests.support.made_run import made_text, with_condition

BASE = made_text("base")


def test_a_run_alone_goes_by_its_agent() -> None:
    (run,) = make_family([BASE]).runs
    assert (run.mark, run.name) == ("Scripted/1.0", "Scripted/1.0")


def test_several_runs_go_by_letters_and_what_they_differ_in() -> None:
    other = made_text(
        "other", seed=8, condition=with_condition(BASE.manifest, feedback="none"), tasks=10
    )
    names = [run.name for run in make_family([BASE, other]).runs]
    assert names == [
        "A feedback simple, seed 7, 20 tasks",
        "B feedback none, seed 8, 10 tasks",
    ]


def test_equal_runs_still_have_names_of_their_own() -> None:
    assert [run.name for run in make_family([BASE] * 3).runs] == [
        "A Scripted/1.0",
        "B Scripted/1.0",
        "C Scripted/1.0",
    ]
    many = make_family([BASE] * 28).runs
    assert [many[place].mark for place in (25, 26, 27)] == ["Z", "AA", "AB"]


def test_agents_are_named_with_their_models_and_made_safe() -> None:
    declared = ({"agent_name": "vlm", "model": "m\x1b1"}, {"agent_name": "vlm", "model": "m2"})
    manifest = replace(BASE.manifest, agent="external", declared=declared)
    assert agent_name(manifest) == "vlm · m�1 · m2"


def test_a_name_does_not_repeat_what_the_agent_declared() -> None:
    declared = ({"model": "m", "configuration": {"base_url": "http://host/v1"}},)
    agent = "vlm --model m --base-url http://host/v1 --temperature 0.7"
    manifest = replace(BASE.manifest, agent=agent, declared=declared)
    assert agent_name(manifest) == "vlm --temperature 0.7 · m"


def test_families_agree_in_suite_rules_tasks_world_and_data() -> None:
    changes: list[dict[str, object]] = [
        {"world": "heavy"},
        {"suite": "other"},
        {"suite_version": "2"},
        {"task_set_digest": "0" * 64},
        {"data": ({"pack": "ithor", "commit": "c", "modified": ["a.json"]},)},
    ]
    texts = [BASE, *(made_text(f"run-{n}", **change) for n, change in enumerate(changes))]
    assert [len(family.runs) for family in families(texts)] == [1] * 6
    alike = made_text("alike", seed=9, agent="another", condition={"feedback": "none"})
    assert [len(family.runs) for family in families([BASE, alike])] == [2]


def test_how_much_of_a_data_pack_was_there_makes_no_other_family() -> None:
    one = made_text("one", data=({"pack": "ithor", "commit": "c", "held": 3},))
    two = made_text("two", data=({"pack": "ithor", "commit": "c", "held": 4},))
    assert kinship(one.manifest) == kinship(two.manifest)


def test_long_names_leave_out_what_most_runs_have_in_common() -> None:
    def run(**changes: object) -> RunContents:
        return made_text(**{"agent": "an agent of ours", **changes})  # type: ignore[arg-type]

    none = with_condition(BASE.manifest, feedback="none")
    texts = [run(), run(seed=8), run(condition=none), run(agent="another agent"), run(tasks=1)]
    assert [each.name for each in make_family(texts).runs] == [
        "A an agent of ours",
        "B seed 8",
        "C feedback none",
        "D another agent",
        "E 1 task",
    ]


def test_editions_of_an_edited_agent_are_told_apart() -> None:
    def edition(digest: str) -> dict[str, object]:
        return {"agents": ({"digest": digest * 64},)}

    both = [made_text("before", **edition("a")), made_text("after", **edition("b"))]
    names = [each.name for each in make_family(both).runs]
    assert names == ["A files aaaaaaaa", "B files bbbbbbbb"]
    other = made_text("other", agent="another", **edition("c"))
    names = [each.name for each in make_family([both[0], other]).runs]
    assert not any("files" in name for name in names)


def test_a_run_whose_agents_declared_different_things_is_called_a_mixture() -> None:
    def declared(prompts: str) -> dict[str, object]:
        return {"agent_name": "vlm", "configuration": {"prompts": prompts, "temperature": "0"}}

    same = made_text("same", declared=(declared("1"),))
    mixed = made_text("mixed", declared=(declared("1"), declared("2")))
    (family,) = families([same, mixed])
    (notice,) = notices(family)
    assert notice.text.startswith("B Scripted/1.0: a mixture.")
    assert "declared different values: prompts" in notice.text


def test_a_guest_whose_model_never_replied_makes_no_mixture() -> None:
    def declared(**known: str) -> dict[str, object]:
        return {"agent_name": "vlm", "configuration": {"prompts": "1", **known}}

    before, after = declared(), declared(usage="reported")
    (family,) = families([made_text("later", declared=(before, after))])
    assert not notices(family)
    (family,) = families([made_text("apart", declared=(after, declared(usage="not reported")))])
    assert "declared different values: usage" in notices(family)[0].text
