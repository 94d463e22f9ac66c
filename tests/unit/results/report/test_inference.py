"""How models were run stands beside each agent, as it was declared and as it is published."""

from __future__ import annotations

from dataclasses import replace

from env_service.results.report.common_tables import inference_table
from env_service.results.report.content import RowKind, TableData
from env_service.results.report.runs import make_family
from env_service.results.run_reader import RunContents
from env_service.suites.reporting import AgentSettings, ReportDesign
from tests.support.made_run import made_text

PUBLISHED = AgentSettings(
    agent="Elder",
    settings=(("temperature", "0"), ("max tokens per reply", "4096")),
    source="a paper",
)


def declaring(name: str, *items: tuple[str, dict[str, str]], seed: int = 7) -> RunContents:
    """A run whose agents declared (model, configuration)."""
    declared = tuple({"agent_name": name, "model": m, "configuration": c} for m, c in items)
    return made_text(name, agent=name, declared=declared, seed=seed)


def table(*texts: RunContents) -> TableData | None:
    return inference_table(make_family(texts), ReportDesign(agents=(PUBLISHED,)))


def cells(found: TableData | None, number: int) -> dict[str, object]:
    assert found is not None
    row = found.rows[number]
    return {column.id: cell.value for column, cell in zip(found.columns, row.cells, strict=True)}


def test_each_agent_has_its_settings_under_common_names() -> None:
    found = table(
        declaring("one", ("m", {"temperature": "0.2", "max_completion_tokens": "512"})),
        declaring("two", ("n", {"reply_tokens": "99", "reasoning_effort": "high", "other": "x"})),
    )
    assert cells(found, 0) == {
        "key": "one · m",
        "runs": "A",
        "temperature": "0.2",
        "max tokens per reply": "512",
        "reasoning effort": None,
    }
    assert cells(found, 1)["max tokens per reply"] == "99"
    assert cells(found, 1)["reasoning effort"] == "high"


def test_runs_of_one_agent_share_a_row_unless_they_were_run_in_other_ways() -> None:
    cold, warm = ("m", {"temperature": "0"}), ("m", {"temperature": "1"})
    found = table(declaring("a", cold), declaring("a", cold, seed=8), declaring("a", warm, seed=9))
    assert [cells(found, number)["runs"] for number in (0, 1)] == ["A, B", "C"]
    assert [cells(found, number)["temperature"] for number in (0, 1)] == ["0", "1"]


def test_published_settings_are_marked_with_their_source() -> None:
    found = table(declaring("one", ("m", {"temperature": "0.2"})))
    assert found is not None
    last = found.rows[-1]
    assert (last.kind, last.source) == (RowKind.PUBLISHED, "a paper")
    assert cells(found, -1)["max tokens per reply"] == "4096"


def test_a_prompt_set_of_several_is_the_suites_own() -> None:
    text = declaring("one", ("m", {"prompts.lab": "lab 3", "prompts.other": "other 1"}))
    own = replace(text, manifest=replace(text.manifest, suite="lab"))
    assert cells(table(own), 0)["prompts"] == "lab 3"


def test_the_digest_of_a_prompt_set_is_shortened_and_still_tells_sets_apart() -> None:
    digest = f"{12 * 'a'}{52 * 'b'}"
    first = declaring("one", ("m", {"prompts": f"1 sha256:{digest}"}))
    other = declaring("one", ("m", {"prompts": f"1 sha256:{digest[:-1]}c"}))
    found = table(first, other)
    told = [cells(found, number)["prompts"] for number in (0, 1)]
    assert told == 2 * [f"1 sha256:{12 * 'a'}"]


def test_agents_without_a_model_have_no_such_table() -> None:
    assert table(made_text()) is None
    assert table(declaring("random", ("", {"seed": "3"}))) is None
    assert table(declaring("silent", ("m", {"unknown": "3"}))) is None
