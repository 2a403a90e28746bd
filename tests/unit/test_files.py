"""Files from strangers: what is read, what is refused, and that to refuse takes no time."""

import os
import socket
import time
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.errors import SpecError
from pigglesim.files import (
    MAX_NUMBER,
    FileKind,
    beside,
    decoded,
    parse_json,
    parse_toml,
    read_beside,
    read_file,
    read_toml,
)

KIND = FileKind(name="thing")
SMALL = FileKind(name="thing", max_bytes=1_000, depth=3, values=10, text=20)
LONG = 30_000

DEEP_TOML = (
    "a." * LONG + "a = 1",
    "[" + "a." * LONG + "a]",
    "a = " + "[" * LONG,
    "a = " + "{a = " * LONG,
    '"a"  .  ' * LONG + "a = 1",
    "a = {" + "b.c." * LONG + "d = 1}",
    "[[" + "a.'b'." * LONG + "a]]",
)
ODD_TOML = (
    "a = [" + "1," * LONG + "]",
    "a = " + "9" * LONG,
    "a = 0x" + "f" * LONG,
    "a = 1.5e99999",
    "a = 1e308",
    "a = -inf",
    "a = nan",
    'a = "' + "x" * LONG + '"',
    "x" * LONG + " = 1",
    'a = "\\u001b[2J"',
    '"\\u0000" = 1',
    'a = "\\u202egnp.exe"',
    'a = """' + '\\"""\n' * 9_000,
    "a = '" + "'" * LONG,
    "a = 2026-02-30",
    "[a]\n" * LONG,
    "a = {\n",
    "= 1",
    "\x00",
)
ODD_JSON = (
    "[" * LONG,
    '{"a":' * LONG,
    "[" + "1," * LONG + "1]",
    "[1e999]",
    "[NaN]",
    "[-Infinity]",
    f"[{'9' * LONG}]",
    f"[{MAX_NUMBER + 1}]",
    f"[-{MAX_NUMBER + 1}]",
    '{"a": 1, "a": 2}',
    '["\\ud800"]',
    '["\\u001b[2J"]',
    f'["{"x" * LONG}"]',
    '"' * LONG,
    "[1,]",
    "",
)


ODD = [(parse_toml, text) for text in DEEP_TOML + ODD_TOML] + [
    (parse_json, text) for text in ODD_JSON
]


@pytest.mark.parametrize(("parse", "text"), ODD, ids=range(len(ODD)))
def test_text_beyond_its_limits_is_refused_at_once(parse, text):
    started = time.process_time()
    with pytest.raises(SpecError) as fault:
        parse(text, KIND, where="thing")
    message = str(fault.value)
    assert message.isprintable() and len(message) < 600 and "; " in message
    assert time.process_time() - started < 1.0


def test_what_goes_too_deep_is_refused_at_one_more_than_its_limit():
    assert parse_toml("a.b.c = 1", SMALL, where="it") == {"a": {"b": {"c": 1}}}
    assert parse_toml("a = [[[1]]]", SMALL, where="it") == {"a": [[[1]]]}
    deeper = ("a.b.c.d = 1", "a = [[[[1]]]]", "[a.b.c.d]", '"a"."b".c.d = 1', "a = {b={c=[{}]}}")
    for deep in deeper:
        with pytest.raises(SpecError, match="at most 3 levels"):
            parse_toml(deep, SMALL, where="it")


def test_the_limits_of_a_kind_hold_at_their_edge():
    assert parse_json("[1,1,1,1,1,1,1,1,1]", SMALL, where="it") == [1] * 9
    with pytest.raises(SpecError, match=r"too many values.*10"):
        parse_json("[1,1,1,1,1,1,1,1,1,1]", SMALL, where="it")
    assert parse_toml(f"a = '{'x' * 20}'", SMALL, where="it") == {"a": "x" * 20}
    with pytest.raises(SpecError, match=r"a: 21 characters.*at most 20"):
        parse_toml(f"a = '{'x' * 21}'", SMALL, where="it")
    assert parse_json(f"[{MAX_NUMBER}, -{MAX_NUMBER}]", SMALL, where="it")[0] == MAX_NUMBER
    with pytest.raises(SpecError, match=r"1,001 characters.*at most 1,000"):
        parse_toml("#" * 1_001, SMALL, where="it")


@given(st.text("a.b=[]{}'\"\\\n#,1 ", max_size=60))
@settings(max_examples=400)
def test_toml_reads_as_the_library_reads_it(text):
    try:
        expected = tomllib.loads(text)
    except ValueError:
        with pytest.raises(SpecError):
            parse_toml(text, KIND, where="it")
    else:
        try:
            assert parse_toml(text, KIND, where="it") == expected
        except SpecError as fault:
            assert "levels" in fault.expected
            assert max(text.count("["), text.count("{"), text.count(".")) >= KIND.depth


def test_a_fault_names_its_key():
    for text, problem in (
        ("[a]\nb = [1, 2, nan]", r"it: a\.b\.2: nan.*finite"),
        (
            "[[a]]\nc = 1\n[[a]]\nb = 1e99",
            r"a\.1\.b: 1e\+99.*finite.*; correct a",
        ),
        ('a = {b = "\\u0007"}', r"a\.b: U\+0007"),
    ):
        with pytest.raises(SpecError, match=problem):
            parse_toml(text, KIND, where="it")
    with pytest.raises(SpecError, match=r"a\.0: inf.*up to 9.2e\+18"):
        parse_json(f'{{"a": [{"9" * 5_000}]}}', KIND, where="it")


def test_only_regular_files_are_read(tmp_path):
    pipe, folder, missing = tmp_path / "pipe", tmp_path / "folder", tmp_path / "missing"
    os.mkfifo(pipe)
    folder.mkdir()
    plug = socket.socket(socket.AF_UNIX)
    plug.bind(str(tmp_path / "plug"))
    for path, problem in (
        (pipe, "a pipe"),
        (folder, "a folder"),
        (tmp_path / "plug", "a socket"),
        ("/dev/zero", "a device"),
        (missing, "No such file"),
        (tmp_path / "a\0b", "null"),
        (tmp_path / ("x" * 5_000), "too long"),
    ):
        with pytest.raises(SpecError, match=problem) as fault:
            read_file(tmp_path / path, KIND)
        assert str(fault.value).isprintable()
    plug.close()


def test_files_that_are_too_large_are_not_read(tmp_path):
    large = tmp_path / "large.toml"
    with large.open("wb") as file:
        file.truncate(10**12)  # a terabyte of nothing: whoever reads it all does not come back
    with pytest.raises(SpecError, match=r"1,000,000,000,000 bytes.*at most 131,072"):
        read_file(large, KIND)


def test_a_file_that_grows_as_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing"
    path.write_bytes(b"x" * 2_000)
    sized = list(path.stat())
    sized[6] = 10
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result(sized))
    monkeypatch.setattr(type(path), "stat", lambda _: os.stat_result(sized))
    with pytest.raises(SpecError, match="more than 1,000"):
        read_file(path, SMALL)


def test_text_is_utf_8(tmp_path):
    path = tmp_path / "it.toml"
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(SpecError, match="byte 0xff in line 2"):
        read_toml(path, KIND)
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml(path, KIND) == {"a": 1}
    assert decoded("é".encode(), where="it") == "é"


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../it.obj", "/etc/passwd", "sub/it.obj", "sub\\it.obj", "C:it.obj",
        "it.obj:stream", "con", "CON.obj", "nul.tar.gz", "Lpt1.obj", "com¹", "a\0b", "it.obj ",
        "it.", " it", "a\nb", "*.obj", "x" * 256, "é" * 200, "/dev/zero", "~/it\u202e",
    ],
)  # fmt: skip
def test_a_file_names_only_files_beside_it(tmp_path, name):
    with pytest.raises(SpecError, match="a bare name"):
        beside(tmp_path / "model.toml", name, KIND)


def test_a_file_beside_is_no_link_but_the_file_that_names_it_may_be(tmp_path):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "it.toml").write_text("")
    (home / "it.obj").write_bytes(b"mesh")
    (elsewhere / "secret").write_bytes(b"secret")
    (home / "way.obj").symlink_to(elsewhere / "secret")
    (elsewhere / "it.toml").symlink_to(home / "it.toml")
    assert read_beside(home / "it.toml", "it.obj", KIND) == b"mesh"
    assert read_beside(elsewhere / "it.toml", "it.obj", KIND) == b"mesh"
    with pytest.raises(SpecError, match="a link"):
        read_beside(home / "it.toml", "way.obj", KIND)
    with pytest.raises(SpecError, match="No such file"):
        read_beside(home / "it.toml", "none.obj", KIND)
