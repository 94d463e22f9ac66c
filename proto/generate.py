"""Generates the Python stubs of the protocol, or checks that they are up to date.

python proto/generate.py            # writes proto/python/src/houseguest
python proto/generate.py --check    # exit code 1, and a list, when they differ
"""

from __future__ import annotations

import argparse
import filecmp
import re
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent
STUBS = ROOT / "python" / "src"
STEM = "houseguest"
SERVICE = re.compile(r"^service \w+", re.MULTILINE)


def generate(target: Path) -> None:
    """Writes stubs and type stubs of every .proto file below ``ROOT`` to ``target``.

    Raises SystemExit with protoc's own message on stderr when a file does not compile.
    """
    sources = sorted((ROOT / STEM).rglob("*.proto"))
    services = [path for path in sources if SERVICE.search(path.read_text(encoding="utf-8"))]
    compile_protos(sources, ("python", "mypy"), target)
    compile_protos(services, ("grpc_python", "mypy_grpc"), target)


def compile_protos(sources: list[Path], plugins: tuple[str, ...], target: Path) -> None:
    """Runs protoc on ``sources`` with each of ``plugins``; raises SystemExit if it fails."""
    well_known = str(files("grpc_tools").joinpath("_proto"))
    outputs = [
        f"--{plugin}_out=quiet:{target}" if "mypy" in plugin else f"--{plugin}_out={target}"
        for plugin in plugins
    ]
    scripts = Path(sys.executable).parent
    outputs += [
        f"--plugin=protoc-gen-{plugin}={scripts / f'protoc-gen-{plugin}'}"
        for plugin in plugins
        if "mypy" in plugin
    ]
    code = protoc.main(["protoc", f"-I{ROOT}", f"-I{well_known}", *outputs, *map(str, sources)])
    if code:
        raise SystemExit(code)


def stale(target: Path) -> list[str]:
    """Names the stub files that differ between ``target`` and the checked-in ones."""
    fresh = {path.relative_to(target) for path in target.rglob("*") if path.is_file()}
    kept = {
        path.relative_to(STUBS)
        for path in STUBS.rglob("*_pb2*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    changed = [
        name for name in fresh & kept if not filecmp.cmp(target / name, STUBS / name, shallow=False)
    ]
    return sorted(str(name) for name in {*changed, *(fresh ^ kept)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    if not parser.parse_args().check:
        generate(STUBS)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        names = stale(Path(folder))
    for name in names:
        print(f"stale: {name}; run `make stubs` and commit the result", file=sys.stderr)
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
