"""Exports of runs to the formats of other tools. docs/export.md describes each format."""
