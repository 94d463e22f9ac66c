"""Rules and published commands: what is known of the files is what is found."""

from __future__ import annotations

from collections import Counter

import pytest

from env_service.suites.alfred.refine.checks import (
    Code,
    CommandDefect,
    count_defects,
    find_defects,
    judge_originals,
)
from env_service.suites.alfred.refine.sources import Source, Stage, load_file
from tests.support.data import reference_data


@pytest.fixture(scope="module")
def published() -> tuple[Source, ...]:
    """The published tasks of valid_seen; their goals come from their action sequences."""
    return load_file(reference_data("alfred-refined/refined_valid_seen_commands.json"))


def found(sources: tuple[Source, ...], stage: Stage) -> Counter[Code]:
    """How many texts of a wording have each finding."""
    return Counter(
        code
        for source in sources
        for code in {
            finding.code
            for finding in find_defects(
                stage, source.texts[stage], source.goal, source.texts[Stage.BASE]
            )
        }
    )


def test_every_action_sequence_tells_a_goal(published: tuple[Source, ...]) -> None:
    assert len(published) == 251
    # One vessel is full from the start.
    assert sum(not source.goal.object for source in published) == 1


@pytest.mark.parametrize("stage", [Stage.BASE, Stage.PARAPHRASE_2, Stage.KOREAN])
def test_published_commands_lead_to_their_goals(
    published: tuple[Source, ...], stage: Stage
) -> None:
    assert sum(found(published, stage).values()) <= 2


def test_first_paraphrases_that_change_nouns_are_found(published: tuple[Source, ...]) -> None:
    assert found(published, Stage.PARAPHRASE_1)[Code.NOUNS] in range(12, 16)
    assert found(published, Stage.PARAPHRASE_1).total() <= 15


def test_contextual_commands_that_name_the_place_twice_are_found(
    published: tuple[Source, ...],
) -> None:
    # 14 use the receptacle's own name; some use a synonym.
    assert found(published, Stage.CONTEXTUAL)[Code.TELLS_DESTINATION] in range(14, 18)
    assert found(published, Stage.CONTEXTUAL)[Code.SENTENCES] == 0
    assert found(published, Stage.CONTEXTUAL).total() <= 20


def test_rules_find_about_half_of_the_defects_that_a_model_found(
    published: tuple[Source, ...],
) -> None:
    judged = judge_originals(published)
    assert len(judged) == 820
    sure = count_defects(each.defect for each in judged)
    doubtful = count_defects(each.strict_defect for each in judged)
    assert 150 <= sure.total() <= 260
    assert sure.total() < doubtful.total() <= 464
    assert sure[CommandDefect.OBJECT] > sure[CommandDefect.SEQUENCE]
