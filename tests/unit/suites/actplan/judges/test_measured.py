from env_service.suites.actplan.judges.agreement import (
    Confusion,
    Interval,
    MeasuredAgreement,
    read_measured,
    write_measured,
)


def test_the_table_is_read_as_it_was_written() -> None:
    rows = (
        MeasuredAgreement(
            "correct", "gpt-4v", "train", Confusion(1, 2, 3, 4), Interval(-0.1234, 0.5)
        ),
        MeasuredAgreement(
            "goal-strict", "gemini", "val", Confusion(5, 6, 7, 8), Interval(0.0, 1.0)
        ),
    )
    assert read_measured(write_measured(rows)) == rows


def test_shares_are_told_with_the_counts() -> None:
    told = MeasuredAgreement("correct", "m", "val", Confusion(1, 0, 1, 2), Interval(0, 1)).to_json()
    assert (told["plans"], told["accuracy"], told["constant_answer"]) == (4, 0.75, 0.5)
    assert (told["precision"], told["recall"]) == (1.0, 0.5)
