"""Writes docs/protocol.md, or checks that it is up to date.

python docs/generate_protocol.py            # writes it
python docs/generate_protocol.py --check    # exit code 1 when it is stale

The page is docs/protocol.template.md with three parts filled in: the table of reasons, from
env_service/domain/reasons.py, the table of bounds, from env_service/wire/bounds.py, and the
reference, from the comments of the .proto files.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)
from grpc_tools import protoc

from env_service.domain.reasons import Reason
from env_service.wire.bounds import BOUNDS

DOCS = Path(__file__).resolve().parent
PROTO = DOCS.parent / "proto"
TEMPLATE = DOCS / "protocol.template.md"
PAGE = DOCS / "protocol.md"
NOTICE = (
    "<!-- Made by docs/generate_protocol.py from docs/protocol.template.md,"
    " env_service/domain/reasons.py, env_service/wire/bounds.py and proto/. Change those, then run"
    " `make docs`. -->\n\n"
)
SOURCES = ("agent/v1/agent", "agent/v1/action", "agent/v1/observation", "control/v1/control")
"""In reading order, below proto/houseguest."""

# Numbers of descriptor.proto's fields: how source locations name what a comment belongs to.
_MESSAGE, _ENUM, _SERVICE = 4, 5, 6
_FIELD, _VALUE, _METHOD, _ONEOF = 2, 2, 2, 8

_SCALARS = {
    number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()
}

Path_ = tuple[int, ...]


def page() -> str:
    """The page as it should be."""
    text = TEMPLATE.read_text(encoding="utf-8")
    parts = {
        "reasons": reasons_table(),
        "bounds": bounds_table(),
        "reference": reference(compile_protos()),
    }
    for marker, part in parts.items():
        place = f"<!-- {marker} -->\n"
        if text.count(place) != 1:
            raise SystemExit(f"{TEMPLATE} has to hold the line {place.strip()!r} once")
        text = text.replace(place, part)
    return NOTICE + text


def reasons_table() -> str:
    """Every Reason, a row each."""
    rows = (
        (f"`{reason.name}`", f"`{reason.status.name}`", reason.meaning, reason.remedy)
        for reason in Reason
    )
    return _table(("Reason", "gRPC status", "What happened", "What to do"), rows)


def bounds_table() -> str:
    """The bound of every field of a request, a row each."""
    rows = (
        (f"[{name.rpartition('.')[2]}](#{name})", f"`{field}`", str(bound))
        for name, fields in BOUNDS.items()
        for field, bound in fields.items()
    )
    return _table(("Message", "Field", "Bound"), rows)


def compile_protos() -> list[FileDescriptorProto]:
    """The contract with its comments. Raises SystemExit when a file does not compile."""
    sources = [str(PROTO / "houseguest" / f"{name}.proto") for name in SOURCES]
    well_known = str(files("grpc_tools").joinpath("_proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "image"
        options = (f"-I{PROTO}", f"-I{well_known}", "--include_source_info")
        code = protoc.main(["protoc", *options, f"--descriptor_set_out={out}", *sources])
        if code:
            raise SystemExit(code)
        compiled = FileDescriptorSet.FromString(out.read_bytes()).file
    by_name = {file.name: file for file in compiled}
    return [by_name[f"houseguest/{name}.proto"] for name in SOURCES]


def reference(contract: Iterable[FileDescriptorProto]) -> str:
    """Every service, message and enumeration, with its comments."""
    return "\n".join(line for file in contract for line in _File(file).sections())


class _File:
    """One .proto file."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._file = file
        self._comments = {
            tuple(location.path): location.leading_comments
            for location in file.source_code_info.location
        }

    def sections(self) -> Iterator[str]:
        file = self._file
        yield f"### {file.name}\n"
        yield f"Package `{file.package}`.\n"
        for place, service in enumerate(file.service):
            yield from self._service(service, (_SERVICE, place))
        for place, message in enumerate(file.message_type):
            yield from self._message(message, (_MESSAGE, place))
        for place, enum in enumerate(file.enum_type):
            yield from self._enum(enum, (_ENUM, place))

    def _service(self, service: ServiceDescriptorProto, path: Path_) -> Iterator[str]:
        yield from self._head(service.name, path)
        for place, method in enumerate(service.method):
            yield f"**`{_signature(method)}`**\n"
            yield f"{self._prose((*path, _METHOD, place))}\n"

    def _message(self, message: DescriptorProto, path: Path_) -> Iterator[str]:
        yield from self._head(message.name, path)
        for place, group in enumerate(message.oneof_decl):
            if not group.name.startswith("_"):  # those protoc makes for `optional`
                yield f"One of `{group.name}`: {self._cell((*path, _ONEOF, place))}\n"
        if message.field:
            yield self._fields(message, path)

    def _fields(self, message: DescriptorProto, path: Path_) -> str:
        rows = (
            (
                str(field.number),
                f"`{field.name}`",
                _type(field, message),
                self._cell((*path, _FIELD, place)),
            )
            for place, field in enumerate(message.field)
        )
        return _table(("No.", "Field", "Type", "Meaning"), rows)

    def _enum(self, enum: EnumDescriptorProto, path: Path_) -> Iterator[str]:
        yield from self._head(enum.name, path)
        rows = (
            (str(value.number), f"`{value.name}`", self._cell((*path, _VALUE, place)))
            for place, value in enumerate(enum.value)
        )
        yield _table(("No.", "Value", "Meaning"), rows)

    def _head(self, name: str, path: Path_) -> Iterator[str]:
        yield f'<a id="{self._file.package}.{name}"></a>\n'
        yield f"#### {name}\n"
        yield f"{self._prose(path)}\n"

    def _prose(self, path: Path_) -> str:
        """A comment as paragraphs."""
        lines = (line.strip() for line in self._comments[path].splitlines())
        return "\n".join(lines).strip()

    def _cell(self, path: Path_) -> str:
        """A comment on one line."""
        return " ".join(self._comments[path].split())


def _signature(method: MethodDescriptorProto) -> str:
    taken = "stream " * method.client_streaming + method.input_type.rpartition(".")[2]
    given = "stream " * method.server_streaming + method.output_type.rpartition(".")[2]
    return f"{method.name}({taken}) → {given}"


def _type(field: FieldDescriptorProto, message: DescriptorProto) -> str:
    entry = next((each for each in message.nested_type if _is_entry(each, field)), None)
    if entry is not None:
        key, value = entry.field
        return f"map of {_single(key)} to {_single(value)}"
    kind = _single(field)
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"list of {kind}"
    if field.proto3_optional:
        return f"optional {kind}"
    if field.HasField("oneof_index"):
        return f"{kind} (one of `{message.oneof_decl[field.oneof_index].name}`)"
    return kind


def _is_entry(nested: DescriptorProto, field: FieldDescriptorProto) -> bool:
    return nested.options.map_entry and field.type_name.endswith(f".{nested.name}")


def _single(field: FieldDescriptorProto) -> str:
    """The type of one value; a link where it is ours."""
    if not field.type_name:
        return _SCALARS[field.type]
    full = field.type_name.removeprefix(".")
    name = full.rpartition(".")[2]
    return f"[{name}](#{full})" if full.startswith("houseguest.") else f"`{full}`"


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    cells = (tuple(cell.replace("|", "\\|") for cell in line) for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def main() -> int:
    """Writes or checks the page; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page():
        return 0
    sys.stderr.write(f"stale: {PAGE}; run `make docs` and commit the result\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
