"""Tests that the suite keeps its contract in every condition, and that its report shows results."""

from env_service.testing import ReportConformance, SuiteConformance


class TestMySuite(SuiteConformance):
    suite = "my_suite"

    def expert_tasks(self, suite):
        """All tasks: the expert must solve each of them."""
        return next(iter(suite.task_sets().values())).tasks


class TestMySuiteReport(ReportConformance):
    suite = "my_suite"
