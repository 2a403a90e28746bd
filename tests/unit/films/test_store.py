"""Films as files, and the folder of a match."""

import os

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.films.codec import FilmFolder, films_beside, read_film, write_film
from tests.unit.films.rolls import small_film
from tests.unit.films.test_codec import assert_near


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_film_is_written_whole_and_read_again(tmp_path):
    film, path = small_film(cups=2), tmp_path / "roll.film"
    path.write_text("another")
    assert write_film(film, path) == path.stat().st_size
    assert_near(film, read_film(path))
    assert names_in(tmp_path) == ["roll.film"]


def test_what_cannot_be_read_or_written_is_told(tmp_path):
    (tmp_path / "junk.film").write_bytes(b"junk")
    os.mkfifo(tmp_path / "pipe.film")
    for name in ("none.film", "pipe.film", "junk.film", ".", "\0"):
        with pytest.raises(RecordError, match="film"):
            read_film(tmp_path / name)
    with pytest.raises(RecordError, match="use an untouched copy"):
        read_film(tmp_path / "junk.film")
    with pytest.raises(SpecError, match="no folder"):
        write_film(small_film(), tmp_path / "no folder" / "x.film")
    assert names_in(tmp_path) == ["junk.film", "pipe.film"]


def test_the_films_of_a_match_lie_beside_its_record(tmp_path):
    folder = films_beside(tmp_path / "match.jsonl")
    assert folder.path == tmp_path / "match.jsonl.films"
    assert films_beside(tmp_path / "many.jsonl", number=3).path.name == "many.jsonl.3.films"
    assert not folder.has(4)
    with pytest.raises(RecordError, match="no such file"):
        folder.read(4)
    film = small_film()
    folder.write(4, film)
    assert folder.has(4)
    assert_near(film, folder.read(4))
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="not writable"):
        FilmFolder(path=tmp_path / "file").write(0, film)
