"""The suite keeps the contract, in every condition; and its report shows its results."""

from env_service.testing import ReportConformance, SuiteConformance


class TestMySuite(SuiteConformance):
    suite = "my_suite"

    def expert_tasks(self, suite):
        """All of them: the expert has to solve each."""
        return next(iter(suite.task_sets().values())).tasks


class TestMySuiteReport(ReportConformance):
    suite = "my_suite"
