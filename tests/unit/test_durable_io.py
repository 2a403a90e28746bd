"""What is written lasts: whole or not at all, in one process's hands."""

import errno
import os
import resource

import pytest

from pigglesim.durable_io import AppendFile, make_folder, try_lock, write_atomically


def test_a_disk_that_fails_at_the_last_moment_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"before")

    def fails(_handle):
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="no"):
        write_atomically(path, b"after")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"before"


def test_a_piece_that_does_not_fit_leaves_nothing_of_it(tmp_path):
    grown = AppendFile(tmp_path / "lines")
    grown.add(b"x" * 80)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError):
            grown.add(b"y" * 80)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    grown.add(b"z" * 3)
    grown.close()
    grown.close()
    assert (tmp_path / "lines").read_bytes() == b"x" * 80 + b"zzz"


def test_a_file_is_in_one_pair_of_hands(tmp_path):
    one, other = AppendFile(tmp_path / "held"), AppendFile(tmp_path / "held")
    assert try_lock(one.file)
    assert not try_lock(other.file)
    one.close()
    assert try_lock(other.file)
    other.close()


def test_a_folder_is_made_with_those_above_it_and_may_be_there(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
