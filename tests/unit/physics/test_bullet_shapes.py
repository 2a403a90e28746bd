"""Bullet reads shapes from temporary files: one that is torn must never be thrown."""

import errno
import os
from pathlib import Path

import pytest

from pigglesim.bodies.load import load_models
from pigglesim.physics import bullet as bullet_shapes
from pigglesim.physics.bullet import compound_file


@pytest.fixture(scope="module")
def body():
    return load_models(["piggle"])["piggle"]


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    folder = tmp_path / "scratch"
    monkeypatch.setattr(bullet_shapes, "_scratch", lambda: folder)
    return folder


def test_a_file_that_could_not_be_written_is_not_taken_for_the_shape(body, scratch, monkeypatch):
    whole = Path(compound_file(body)).read_bytes()
    Path(compound_file(body)).unlink()

    def torn(path, data):
        with path.open("wb") as file:
            file.write(data[:1000])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", torn)
        with pytest.raises(OSError, match="No space left"):
            compound_file(body)
    assert list(scratch.iterdir()) == []
    assert Path(compound_file(body)).read_bytes() == whole


@pytest.mark.parametrize("left", [0, 1000, -1, None])
def test_a_torn_file_and_a_cleared_folder_are_written_again(body, scratch, left):
    path = Path(compound_file(body))
    whole = path.read_bytes()
    if left is None:
        path.unlink()
        scratch.rmdir()
    else:
        path.write_bytes(whole[:left])
    assert Path(compound_file(body)).read_bytes() == whole


def test_a_disk_that_gives_back_other_bytes_is_a_fault(body, monkeypatch):
    monkeypatch.setattr(
        bullet_shapes, "write_atomically", lambda path, data: path.write_bytes(b"v 0\n")
    )
    with pytest.raises(OSError, match="Input/output error"):
        compound_file(body)
