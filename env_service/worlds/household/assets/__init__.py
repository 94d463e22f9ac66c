"""Procedural assets: a small builder for every type of object, in files by family."""
