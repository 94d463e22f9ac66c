from env_service.suites.asgard.recorded.feasibility import Doable, FeasibilityVerdict
from env_service.suites.asgard.recorded.report import DESIGN
from env_service.suites.asgard.recorded.scoring import Answered, answer_labels, answer_metrics
from env_service.suites.asgard.wording import Reason
from env_service.suites.reporting import Bars, Bins, Confusion, Label, Stacked, Table
from tests.support.asgard import SUITE
from tests.support.asgard_recorded import question

ASKED = question()


def measures():
    found = list(DESIGN.overview)
    for item in DESIGN.items:
        if isinstance(item, Table):
            found += item.columns
        elif isinstance(item, Bars):
            found.append(item.measure)
    return found


def keys():
    for item in DESIGN.items:
        match item:
            case Table(rows=key) | Bars(by=key):
                yield key
            case Stacked(by=by, parts=parts):
                yield from (by, parts)
            case Confusion(truth=truth, predicted=predicted):
                yield from (truth, predicted)


def test_nothing_in_it_is_called_success():
    headings = [measure.heading for measure in measures()]
    titles = [item.title for item in DESIGN.items]
    assert [each for each in (*headings, *titles) if "success" in each.lower()] == []
    assert "next-action agreement" in headings
    assert "next action doable" in headings
    assert not DESIGN.endings


def test_every_number_is_one_that_an_answer_has():
    metrics = answer_metrics(ASKED, None)
    named = [each.quantity for each in measures() if each.quantity is not None]
    shown = {each.name for each in named if each.source == "metric"}
    shown |= {key.quantity.name for key in keys() if isinstance(key, Bins)}
    assert shown <= metrics.keys()


def test_every_label_is_one_that_an_answer_has():
    refused = Answered(ASKED.answer, FeasibilityVerdict(Doable.NO, Reason.DIRTY))
    labels = answer_labels(ASKED, refused)
    assert {key.name for key in keys() if isinstance(key, Label)} <= labels.keys()


def test_only_runs_in_the_recorded_world_have_it():
    assert SUITE.report.in_world("recorded") == DESIGN
    assert SUITE.report.in_world("household") == SUITE.report
    tables = {item.id for item in SUITE.report.items}
    assert tables.isdisjoint(item.id for item in DESIGN.items)
    assert DESIGN.references == ()
