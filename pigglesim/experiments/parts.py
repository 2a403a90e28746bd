"""Parts of a study: every N-th shard, made apart from the others and stored in one file.

A part's file is a zip archive without compression: a manifest, and shards as they are in the folder
of the study. The manifest has the definition and the SHA-256 of every shard; its own is the seal.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pigglesim.durable_io import atomic_file
from pigglesim.errors import RecordError, SpecError, cut
from pigglesim.experiments.folder import differences
from pigglesim.experiments.shard import StudyPlan
from pigglesim.experiments.store import Store
from pigglesim.experiments.study import Study
from pigglesim.files import FileKind, decoded, parse_json

_MANIFEST = "part.json"
_KIND = FileKind(name="part of a study", max_bytes=1 << 27, values=2_000_000)
_MAX_SHARD = 1 << 30
PART_SUFFIX = ".part"
_PART = re.compile(r"([0-9]{1,7})/([0-9]{1,7})")
_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of a number of parts of a study, from 1."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str, study: Study) -> "Part":
        """Return the part of a text such as `17/1000`.

        Raises:
            SpecError: If it is none, the study has fewer shards, or ends by its results.
        """
        match = _PART.fullmatch(text)
        part = cls(number=int(match[1]), of=int(match[2])) if match else None
        if part is None or not 1 <= part.number <= part.of:
            raise SpecError(
                f"invalid part {cut(repr(text))}", expected="K/N, K from 1 to N", fix="use 1/8"
            )
        if study.half_width:
            raise SpecError(
                "a part of a study with half_width, which ends by the results of all parts",
                fix="use --throws 1e6",
            )
        if part.of > study.shard_count:
            raise SpecError(
                f"{part.of:,} parts of a study of {study.shard_count:,} shards",
                fix=f"use at most {study.shard_count:,} parts, or a smaller --shard-size",
            )
        return part

    def __str__(self) -> str:
        return f"{self.number:0{len(str(self.of))}}-of-{self.of}"

    def shards(self, study: Study) -> range:
        """Return the numbers of its shards: all cells and early and late throws alike."""
        return range(self.number - 1, study.shard_count, self.of)


class _Manifest(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    number: Annotated[int, Field(ge=1)]
    of: Annotated[int, Field(ge=1)]
    digest: _Sha256
    study: dict[str, Any]
    made_of: dict[str, Any]
    sums: list[_Sha256]
    """SHA-256 of each shard, in the order of their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFile:
    """The file of a part, whose manifest has been checked; its shards are checked when read."""

    path: Path
    part: Part
    study: Study
    digest: str
    made_of: Mapping[str, Any]
    sums: Mapping[int, str]
    """SHA-256 of each shard, by its number."""
    seal: str
    """SHA-256 of the manifest."""

    @classmethod
    def read(cls, path: Path) -> "PartFile":
        """Read the manifest of a part's file.

        Raises:
            RecordError: If it is not the whole file of a part.
        """
        if not path.is_file():
            raise RecordError(f"no file {str(path)!r}", fix="check the path")
        try:
            with ZipFile(path) as archive:
                data = _member(archive, _MANIFEST, _KIND.max_bytes)
                names = archive.namelist()
            text = decoded(data, where=str(path))
            found = _Manifest.model_validate(parse_json(text, _KIND, where=str(path)))
            part = Part(number=found.number, of=found.of)
            study = Study.from_definition(found.study, source=path.name)
        except (OSError, BadZipFile, ValidationError, SpecError, ValueError) as fault:
            why = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
            raise _torn(path, why) from None
        shards = part.shards(study)
        if len(found.sums) != len(shards) or names != [*map(_name, shards), _MANIFEST]:
            raise _torn(path, "it holds other shards than its manifest says")
        return cls(
            path=path,
            part=part,
            study=study,
            digest=found.digest,
            made_of=found.made_of,
            sums=dict(zip(shards, found.sums, strict=True)),
            seal=hashlib.sha256(data).hexdigest(),
        )

    def expect_made_here(self, plan: StudyPlan) -> None:
        """Raise RecordError unless this machine makes the same throws for the same study."""
        if self.digest == plan.digest:
            return
        ours = {"study": plan.study.definition(), "made_of": plan.made_of}
        theirs = {"study": self.study.definition(), "made_of": dict(self.made_of)}
        why = "; ".join(differences(theirs, ours, {**plan.made_of, **plan.study.definition()}))
        raise RecordError(
            f"{self.path.name} is of another study: {why or 'its digest differs'}",
            fix="use the same versions and files as where the parts were made",
        )


def write_part(store: Store, part: Part, path: Path) -> PartFile:
    """Write the file of a finished part, complete or not at all."""
    study = store.plan.study
    sums = []
    with atomic_file(path) as target, ZipFile(target, "w", ZIP_STORED) as archive:
        for number in part.shards(study):
            data = store.shard_bytes(number)
            sums.append(hashlib.sha256(data).hexdigest())
            # Without a date, the same part is the same bytes.
            archive.writestr(ZipInfo(_name(number)), data)
        manifest = _Manifest(
            number=part.number,
            of=part.of,
            digest=store.digest,
            study=study.definition(),
            made_of=store.made_of,
            sums=sums,
        )
        archive.writestr(ZipInfo(_MANIFEST), manifest.model_dump_json())
    return PartFile.read(path)


def part_files(places: Iterable[Path]) -> list[PartFile]:
    """Return the parts in files and in folders of them, in the order of their numbers.

    Raises:
        RecordError: If there is none, one is there twice, or they are not of one study.
    """
    paths = [
        path
        for place in places
        for path in (sorted(place.glob(f"*{PART_SUFFIX}")) if place.is_dir() else [place])
    ]
    if not paths:
        raise RecordError("no parts of a study", fix="name their folder, or the files *.part")
    found = sorted(map(PartFile.read, paths), key=lambda each: each.part.number)
    first = found[0]
    for before, each in pairwise(found):
        if (each.digest, each.part.of) != (first.digest, first.part.of):
            raise RecordError(
                f"{first.path.name} and {each.path.name} are of different studies",
                fix="merge the parts of one study",
            )
        if each.part == before.part:
            raise RecordError(
                f"{before.path} and {each.path} are the same part", fix="leave one out"
            )
    return found


def missing_parts(parts: Sequence[PartFile]) -> list[int]:
    """Return the numbers of the parts that are not there."""
    return sorted(set(range(1, parts[0].part.of + 1)) - {each.part.number for each in parts})


def merge(
    parts: Iterable[PartFile], store: Store, *, watch: Callable[[int], object] = lambda done: None
) -> int:
    """Add the shards of parts to the folder of their study; return the number of those added.

    Each shard is checked like that of a worker. `watch` is called with the number of shards done.

    Raises:
        RecordError: If a shard is torn or differs from the one in the folder; all others stay.
    """
    added, done = 0, 0
    for each in parts:
        each.expect_made_here(store.plan)
        with closing(ZipFile(each.path)) as archive:
            for number, digest in each.sums.items():
                if number not in store.finished:
                    store.add(number, _shard(each, archive, number))
                    added += 1
                elif store.seal(number) != digest:
                    raise RecordError(
                        f"shard {number} of {each.path.name} is not the one in {store.path}",
                        fix="throw both again: pigglesim study audit",
                    )
                done += 1
                watch(done)
    return added


def _shard(part: PartFile, archive: ZipFile, number: int) -> bytes:
    try:
        data = _member(archive, _name(number), _MAX_SHARD)
    except (OSError, BadZipFile, ValueError) as fault:
        raise _torn(part.path, fault) from None
    if hashlib.sha256(data).hexdigest() != part.sums[number]:
        raise _torn(part.path, f"shard {number} is not the one of its manifest")
    return data


def _member(archive: ZipFile, name: str, most: int) -> bytes:
    """Return a file in an archive, which is stored as it is and not too large."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise ValueError(f"no {name} in it") from None
    if info.compress_type != ZIP_STORED or info.file_size > most:
        raise ValueError(f"{name} is compressed or too large")
    return archive.read(info)


def _name(number: int) -> str:
    return f"{number:06d}.parquet"


def _torn(path: Path, why: object) -> RecordError:
    text = " ".join(str(why).split())
    return RecordError(
        cut(f"{path.name} is not the whole file of a part: {text}"),
        fix="make that part again: pigglesim study --part",
    )
