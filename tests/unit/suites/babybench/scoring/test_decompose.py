import pytest

from env_service.suites.babybench.scoring import assistance_curve, curve_area


def test_the_curve_rises_where_the_help_is_enough():
    assert assistance_curve(2, 4, success=True) == (False, False, True, True, True)
    assert assistance_curve(0, 1, success=False) == (False, False)


@pytest.mark.parametrize("used", range(8))
@pytest.mark.parametrize("limit", range(1, 6))
def test_the_area_is_the_published_index(used, limit):
    assert curve_area(used, limit, success=True) == max(0, (limit - used) / limit)
    assert curve_area(used, limit, success=False) == 0


@pytest.mark.parametrize(("used", "area"), [(0, 1), (1, 0)])
def test_without_a_limit_only_success_without_help_counts(used, area):
    assert curve_area(used, 0, success=True) == area
