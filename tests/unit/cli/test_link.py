"""`pigglesim link`: a match by messages in the terminal."""

import re
import stat

import pytest
from typer.testing import CliRunner

from pigglesim.api.links import LinkMemories
from pigglesim.cli.app import app
from pigglesim.errors import PigglesimError
from pigglesim.match.record import read_record
from tests.support.front_door import run_here


@pytest.fixture
def person(monkeypatch, tmp_path):
    """Return what runs the verb as somebody with a folder of their own."""

    def run(name, *words, say=""):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / name))
        return run_here("link", *words, "--ascii", stdin=say)

    return run


def link_in(done):
    assert done.exit_code == 0, done.stderr
    found = r"^(?:pigglesim link ')?(\S*match=[\w-]+)'?$"
    return re.findall(found, done.stdout, re.MULTILINE)[-1]


def begun(person):
    return link_in(person("ann", "--name", "Ann", "--chance", "tabular", say="all\n"))


@pytest.mark.slow
def test_two_people_play_with_their_links_and_save_the_record(person, tmp_path):
    link = begun(person)
    first = person("bob", link, "--name", "Bob")
    assert "Ann (A) loads" in first.stdout and "Send this link to Ann" in first.stdout
    second = person("ann", link_in(first), say="all\n")
    assert "Landed: A1" in second.stdout and "loads" not in second.stdout
    third = person("bob", link_in(second), say="all\n")
    assert "Landed: A1" in third.stdout and "Bob (B) loads" in third.stdout
    out = tmp_path / "match.jsonl"
    assert person("eve", link_in(third), "--out", out).exit_code == 0
    record = read_record(out)
    assert [entry.action for entry in record.decisions] == [
        "load A1 A2 A3 A4 A5 A6", "load B1 B2 B3 B4 B5 B6"
    ]  # fmt: skip
    assert record.header.names == {"A": "Ann", "B": "Bob"}
    again = run_here("replay", out, "--resimulate", "--no-boards")
    assert again.exit_code == 0 and "every bit is the same" in again.output
    edited = out.read_text().replace(record.header.chance["link"][-6:], "AAAAAA")
    out.write_text(edited)
    assert run_here("replay", out, "--resimulate").exit_code != 0


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        (["--out", "match.jsonl"], "--out"),
        (["--force"], "--force"),
        (["LINK", "--force"], "--force"),
        (["LINK", "--game", "piggyback"], "--game"),
        (["LINK", "--chance", "tabular", "--seat", "A"], "--chance, --seat"),
        (["LINK", "--rule", "rounds=2"], "--rule"),
        (["LINK", "--house-rules", "rules.toml"], "--house-rules"),
        (["LINK", "--team-a", "rare", "--team-b", "rare"], "--team-a, --team-b"),
        (["LINK", "--out", "match.jsonl", "--name", "Ann"], "--name"),
        (["LINK", "--out", "match.jsonl", "--page", "https://a.example"], "--page"),
    ],
)
def test_flags_without_effect_are_refused(person, words, idle):
    with pytest.raises(PigglesimError) as caught:
        person("ann", *words)
    assert str(caught.value).startswith(f"{idle} has no effect: ")


def test_who_watches_or_leaves_leaves_no_file_and_a_lock_is_private(person, tmp_path):
    def files(name):
        return [file.name for file in (tmp_path / name).rglob("*") if file.is_file()]

    link = begun(person)
    second = link_in(person("bob", link))
    assert person("eve", second).exit_code == 0
    assert person("eve", second, "--out", tmp_path / "match.jsonl").exit_code == 0
    assert files("eve") == []
    # Who leaves an invitation has not accepted it.
    turn = link_in(person("ann", "--chance", "tabular", "--seat", "B"))
    assert "No link was made" in person("cid", turn).stdout
    assert files("cid") == []
    assert [name.rpartition(".")[2] for name in files("bob")] == ["json"]
    memories = LinkMemories(tmp_path / "dan")
    with memories.locked(b"12345678"):
        (lock,) = (tmp_path / "dan" / "links").iterdir()
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
        with pytest.raises(PigglesimError, match="answered elsewhere"):
            memories.locked(b"12345678").__enter__()
    assert not lock.exists()


def test_an_answer_is_given_once(person):
    link = begun(person)
    answer = link_in(person("bob", link))
    again = person("bob", link)
    assert "You have answered it" in again.stdout and link_in(again) == answer
    own = person("bob", answer)
    assert "your friend has to answer" in own.stdout and link_in(own) == answer


def test_who_leaves_has_made_no_link_and_can_go_on(person):
    link = begun(person)
    link = link_in(person("ann", link_in(person("bob", link))))
    left = person("bob", link, say="help\n")
    assert "No link was made" in left.stdout and "#match" not in left.stdout
    assert link_in(person("bob", link, say="1\n"))


def test_the_secret_is_in_a_file_of_its_owner_alone(person, tmp_path):
    begun(person)
    (file,) = (tmp_path / "ann" / "pigglesim" / "links").glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_of_a_cut_link_is_shown_what_was_right(person, tmp_path):
    link = link_in(person("bob", begun(person)))
    home = {"XDG_STATE_HOME": str(tmp_path / "ann")}
    done = CliRunner().invoke(app, ["link", link[:-4], "--ascii"], env=home)
    assert "Ann (A) loads" in done.stdout and "#match" not in done.stdout
    assert str(done.exception).startswith("message 2: the link was cut")


def test_a_stranger_sees_and_cannot_answer(person):
    link = link_in(person("bob", begun(person)))
    done = person("eve", link, say="1\n")
    assert done.exit_code == 0 and "it can be seen, not answered" in done.stdout
    assert "#match" not in done.stdout


def test_the_address_of_a_page_stays_and_must_be_plain(person):
    link = link_in(
        person("ann", "--chance", "tabular", "--page", "https://a.example/p/", say="1\n")
    )
    assert link.startswith("https://a.example/p/#match=")
    assert link_in(person("bob", link)).startswith("https://a.example/p/#match=")
    for page in ("ftp://a.example", "https://a example", "https://" + "a" * 300):
        with pytest.raises(PigglesimError, match="invalid address"):
            person("cid", link, "--page", page)


def test_games_with_hidden_hands_are_not_offered(person):
    for game in ("pig_pile", "lord_of_the_pigs"):
        with pytest.raises(PigglesimError, match="hidden hands, which a link would show"):
            person("ann", "--game", game)
    with pytest.raises(PigglesimError, match="a name that everybody can read"):
        person("ann", "--name", "<b>")


def test_who_begins_second_sends_an_invitation_without_a_decision(person):
    done = person("ann", "--game", "piggy_six", "--chance", "fair", "--seat", "B")
    link = link_in(done)
    assert link_in(person("bob", link, say="2\n"))
