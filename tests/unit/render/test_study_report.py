"""The report of a study: whole, escaped, alone on its page, and the same again."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.errors import SpecError
from pigglesim.render.page import write_report_page
from pigglesim.render.study_report import write_report
from pigglesim.scene.scene import Board
from pigglesim.units import DASH, with_interval
from tests.unit.render.made_studies import POSES, answers_of, on_board, store
from tests.unit.render.skeleton import Skeleton

METADATA = {
    "title": "Pigs & friends",
    "seed": 3,
    "command": "pigglesim study run x.toml --seed 3",
    "versions": {"pigglesim": "0.1.0", "numpy": "2.3.1"},
    "models": [{"name": "d6", "sha256": "abc"}],
    "levels": [0.1, 0.2],
    "done": True,
    "nothing": None,
}


def poured(throws=30, *, name="floor"):
    """Return pours of two dice in two cells, and what they say."""
    rng = np.random.default_rng(8)
    rows = [
        on_board(
            2 * k + cell, cell=cell, trial=k, die=die, orientation=str(rng.choice(POSES)),
            points=int(rng.integers(4)), x=float(rng.normal(0, 50)), y=float(rng.normal(0, 50)),
            model="d6",
        )
        for k in range(throws) for cell in range(2) for die in range(2)
    ]  # fmt: skip
    return rows, {0: {name: "a"}, 1: {name: "b"}}


def report(folder, rows, factors, *, metadata=METADATA, board=None):
    folder.mkdir(exist_ok=True)
    connection = store(rows)
    answers = answers_of(connection, factors)
    files = write_report(
        folder, answers=answers, metadata=metadata, connection=connection,
        bodies={"d6": load_model("d6")}, board=board,
    )  # fmt: skip
    return answers, files, (folder / "report.html").read_text()


def ratio(contrast):
    return DASH if contrast.width_ratio is None else f"{contrast.width_ratio:.2f}"


@pytest.mark.slow
def test_a_report_stands_alone_and_is_complete(tmp_path):
    answers, files, text = report(tmp_path / "a", *poured(), board=Board())
    assert {path.relative_to(tmp_path / "a") for path in files} == {
        path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*")
    }
    names = {path.stem for path in files if path.suffix == ".svg"}
    assert names == {
        "shares", "levels-floor", "contrasts-floor", "landings-0", "landings-1", "points",
        "directions-d6", "convergence",
    }  # fmt: skip
    assert names == {path.stem for path in files if path.suffix == ".png"}
    page = Skeleton(text)
    assert not {"script", "link", "iframe", "object", "form"} & {*page.tags}
    # Nothing from elsewhere: each link is a place on this page or a picture within it.
    assert len(page.ids) == len({*page.ids})
    for link in page.links:
        assert link.startswith("data:image/") or link.removeprefix("#") in page.ids
    for reference in re.findall(r"url\((#?[^)]*)\)", text):
        assert reference.removeprefix("#") in page.ids
    assert "@import" not in text
    words = " ".join(page.words)
    assert text.count("<figure>") == len(names)
    for cell in answers.cells:
        for share in (*cell.shares, *cell.zones.values(), *cell.posterior.intervals):
            assert with_interval(share) in words
        assert with_interval(cell.points_per_throw) in words
        assert with_interval(cell.independence.agreement, signed=True) in words
    for contrast in answers.contrasts:
        assert f"{with_interval(contrast.difference, signed=True)} {ratio(contrast)}" in words
    for said in ("Pigs & friends", METADATA["command"], "0.1.0", "abc", "2.3.1", "yes"):
        assert said in words
    assert "<title>Pigs &amp; friends</title>" in text


@pytest.mark.slow
def test_the_same_study_is_the_same_report(tmp_path):
    rows, factors = poured()
    _, first, _ = report(tmp_path / "a", rows, factors, board=Board())
    _, second, _ = report(tmp_path / "b", rows[::-1], factors, board=Board())
    for a, b in zip(first, second, strict=True):
        assert a.name == b.name
        assert a.read_bytes() == b.read_bytes(), a.name


EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.mark.slow
def test_no_name_gets_out_of_its_place(tmp_path):
    rows, _ = poured(12)
    for each in rows:
        each["zone"] = "</table>" + EVIL
        each["orientation"] = "<b>" + EVIL if each["orientation"] == POSES[0] else "<i>$\\frac"
    factors = {0: {f"../../{EVIL}": EVIL}, 1: {f"../../{EVIL}": "&amp;\x1b"}}
    metadata = {"title": EVIL, EVIL: {EVIL: [EVIL, {EVIL: EVIL}]}}
    _, files, _ = report(tmp_path / "a", rows, factors, metadata=metadata, board=Board())
    text = (tmp_path / "a" / "report.html").read_text()
    page = Skeleton(text)
    assert not {"script", "b", "i"} & {*page.tags}
    assert "img" not in page.tags
    assert not page.events
    assert EVIL in "".join(page.words)
    assert "\x00" not in text
    assert all(path.parent in {tmp_path / "a", tmp_path / "a" / "pictures"} for path in files)
    for path in files:
        assert re.fullmatch(r"[a-z0-9-]+\.(html|png|svg)", path.name)
        if path.suffix == ".svg":
            assert not [e for e in ET.parse(path).iter() if "script" in str(e.tag)]


EMPTY = {"title": "told", "summary": "", "sections": [], "metadata": {}}


def test_a_report_replaces_a_link_and_not_what_it_leads_to(tmp_path):
    mine, folder = tmp_path / "mine", tmp_path / "sent"
    mine.write_text("dear to me")
    folder.mkdir()
    (folder / "report.html").symlink_to(mine)
    assert write_report_page(folder, **EMPTY) == [folder / "report.html"]
    assert mine.read_text() == "dear to me"
    assert "<h1>told</h1>" in (folder / "report.html").read_text()
    assert not (folder / "report.html").is_symlink()


def test_a_folder_of_pictures_that_is_a_link_is_refused(tmp_path):
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "sent"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "pictures").symlink_to(elsewhere)
    with pytest.raises(SpecError, match="is a link"):
        write_report_page(folder, **EMPTY)
    assert not list(elsewhere.iterdir())
    assert not (folder / "report.html").exists()
