from env_service.domain.episode import FinishReason
from env_service.suites.babybench.report import DESIGN
from env_service.suites.reporting import Bins, Chosen, Classes, Curve, Label, Only, Table
from tests.unit.suites.babybench.builders import SUITE, answered, opened

ANSWERS = {
    "predict:GoToObj/2": "The agent's final state is: ((1, 1), 0)",
    "plan:Small-4Dists/2": (
        "The LLM's action sequence is: right, forward, right, forward, forward, forward"
    ),
    "decompose:GoToObj/2": "<START>\n(GoNextToSubgoal, (0, 0))\n<END>",
}
RESULTS = [
    *(
        answered(question, text, scoring=scoring)
        for question, text in ANSWERS.items()
        for scoring in ("fixed", "compat")
    ),
    opened("interactive:GoToObj/2")[0].finish(FinishReason.AGENT_DONE),
]
ITEMS = [item for design in (DESIGN, *DESIGN.by_task_set.values()) for item in design.items]


def plain(key):
    """What a key is made from."""
    return plain(key.of) if isinstance(key, Classes) else key


def keys():
    for item in ITEMS:
        for name in ("rows", "across", "by", "series", "parts", "only"):
            found = getattr(item, name, None)
            yield plain(found.key if isinstance(found, Only) else found)
        for measure in item.columns if isinstance(item, Table) else ():
            for only in (measure.only, measure.share_of):
                yield plain(only.key) if only else None


def quantities():
    yield from (key.quantity for key in keys() if isinstance(key, Bins))
    for item in ITEMS:
        if isinstance(item, Curve):
            yield item.quantity
        measures = item.columns if isinstance(item, Table) else [getattr(item, "measure", None)]
        yield from (each.quantity for each in measures if each and each.quantity)


def test_every_label_and_setting_that_is_shown_exists():
    labels = {name for result in RESULTS for name in result.labels}
    assert {key.name for key in keys() if isinstance(key, Label)} <= labels
    settings = {setting.name for setting in SUITE.settings}
    assert {key.setting for key in keys() if isinstance(key, Chosen)} <= settings


def test_every_metric_that_is_shown_is_recorded():
    metrics = {name for result in RESULTS for name in result.metrics}
    shown = {each.name for each in quantities() if each.source == "metric"}
    assert shown <= metrics
    assert len(shown) >= 12
