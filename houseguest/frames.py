"""Tables as data frames of pandas and Polars and as tables of Arrow, with one schema for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any

from env_service.results.report.episode_table import Column, Kind, Table, Value
from houseguest.errors import MissingPackageError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Column", "Kind", "Table", "Tabular", "Value"]

_PANDAS = {Kind.TEXT: "string", Kind.FLAG: "boolean", Kind.WHOLE: "Int64", Kind.NUMBER: "float64"}
_POLARS = {Kind.TEXT: "String", Kind.FLAG: "Boolean", Kind.WHOLE: "Int64", Kind.NUMBER: "Float64"}
_ARROW = {Kind.TEXT: "string", Kind.FLAG: "bool_", Kind.WHOLE: "int64", Kind.NUMBER: "float64"}


class Tabular(ABC):
    """Something with a row for each of its parts.

    All three forms have the same columns in the same order. Texts are strings, whole numbers are
    64 bits wide, other numbers are doubles. A missing value is null, and NaN in a column of doubles
    of pandas.
    """

    @abstractmethod
    def table(self) -> Table:
        """The columns and their values as lists."""

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a ``pandas.DataFrame``. Raises MissingPackageError without pandas.

        Columns that may lack values have pandas' nullable types: ``string``, ``boolean``,
        ``Int64``.
        """
        library = _imported("pandas", "pandas")
        table = self.table()
        columns = {
            each.name: library.array(
                [float("nan") if value is None else value for value in table.values[each.name]]
                if each.kind is Kind.NUMBER
                else table.values[each.name],
                dtype=_PANDAS[each.kind],
            )
            for each in table.columns
        }
        frame: pandas.DataFrame = library.DataFrame(columns)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The rows as a ``polars.DataFrame``. Raises MissingPackageError without Polars."""
        library = _imported("polars", "polars")
        table = self.table()
        columns = [
            library.Series(
                each.name,
                table.values[each.name],
                getattr(library, _POLARS[each.kind]),
                strict=False,
            )
            for each in table.columns
        ]
        frame: polars.DataFrame = library.DataFrame(columns)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a ``pyarrow.Table``. Raises MissingPackageError without pyarrow."""
        arrow = _imported("pyarrow", "parquet")
        table = self.table()
        schema = arrow.schema(
            [arrow.field(each.name, getattr(arrow, _ARROW[each.kind])()) for each in table.columns]
        )
        values = [table.values[each.name] for each in table.columns]
        arrays = [arrow.array(each, field.type) for each, field in zip(values, schema, strict=True)]
        table_of_arrow: pyarrow.Table = arrow.Table.from_arrays(arrays, schema=schema)
        return table_of_arrow


def _imported(package: str, extra: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackageError(
            f'This needs {package}, which is not installed: pip install "houseguest[{extra}]"'
        ) from error
