"""Nobody without a link, and no foreign page, is answered."""

import os
import stat
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pigglesim.errors import SpecError
from pigglesim.landing import Seat
from pigglesim.serve.access import PROTOCOL, Access, Guest, SavedLinks, saved_links
from pigglesim.serve.history import history
from pigglesim.serve.server import Server

PRIVATE = ["/match/0123456789ab/match.jsonl", "/page/0123456789abcdef/throw.json"]


def test_a_secret_is_where_no_browser_sends_it_by_itself(served):
    """Cookies go to every port of a machine, and addresses into lists of other programs."""
    address, _, rest = served.access.owner_link.partition("#")
    assert rest == f"token={served.secret}" and served.secret not in address
    for path in ("/", "/web/app.js", *PRIVATE):
        _, headers, body = served.get(path, secret=served.secret)
        assert headers["Set-Cookie"] is None
        assert served.secret.encode() not in body


@pytest.mark.parametrize("path", PRIVATE)
@pytest.mark.parametrize("secret", [None, "", "x" * 32])
def test_without_a_valid_secret_nothing_of_a_match_is_served(served, path, secret):
    status, _, body = served.get(path, secret=secret)
    assert status in {403, 404}
    assert b"<" not in body


def test_the_name_of_a_table_shows_nothing_of_its_file_without_the_key():
    one, other = (Access(host="127.0.0.1", port=1) for _ in range(2))
    path = Path("folder/play-7.jsonl")
    assert one.table_of(path) == one.table_of(Path("elsewhere/play-7.jsonl"))
    assert one.table_of(path) != other.table_of(path)


def test_a_file_whose_name_is_no_text_hides_no_other_match(tmp_path):
    (tmp_path / os.fsdecode(b"\xff.jsonl")).touch()
    rows = history(tmp_path, Access(host="127.0.0.1", port=1), "")["matches"]
    assert len({row["table"] for row in rows}) == len(rows) == 1


@pytest.mark.parametrize("header", ["Cookie", "Authorization"])
def test_a_secret_in_another_place_has_no_power(served, header):
    with served.person() as person:
        person.send(do="set_table", count=1)
        person.until("board")
        person.send(do="throw", seed=5)
        person.until("thrown")
        path = f"/page/{person.welcome['page']}/throw.json"
        assert served.get(path, secret=served.secret)[0] == 200
        wrong = {header: f"pigglesim-{served.access.port}={served.secret}"}
        assert served.get(path, headers=wrong)[0] == 404
        assert served.get(f"{path}?token={served.secret}", headers=wrong)[0] == 404
        with (
            pytest.raises((InvalidStatus, ConnectionClosed)),
            served.person(offered=[PROTOCOL], **wrong),
        ):
            pass


@pytest.mark.parametrize("offered", [None, [PROTOCOL], ["x"], [PROTOCOL, "x" * 32, "owner"]])
def test_a_socket_needs_the_secret_in_its_place(served, offered):
    offered = [each.replace("owner", served.secret) for each in offered] if offered else None
    with pytest.raises((InvalidStatus, ConnectionClosed)), served.person(offered=offered):
        pass


def test_a_page_learns_that_its_link_is_not_valid(served):
    with pytest.raises(ConnectionClosed) as closed, served.person("x" * 32):
        pass
    assert closed.value.rcvd.code == 4401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1:1", "127.0.0.1", ""]
)
def test_a_foreign_name_is_refused_even_with_the_secret(served, host):
    """After a name is bound anew to this machine (DNS rebinding), its page knows only that name."""
    assert served.get("/", secret=served.secret, host=host)[0] in {400, 421}


@pytest.mark.parametrize(
    ("host", "port", "sent"),
    [
        ("127.0.0.1", 80, "127.0.0.1"),
        ("127.0.0.1", 80, "localhost:80"),
        ("Gamma.Local", 8765, "gamma.local:8765"),
        ("Gamma.Local", 8765, "Gamma.Local:8765"),
        ("Gamma.Local", 80, "gamma.local"),
    ],
)
def test_an_address_is_known_as_browsers_and_programs_write_it(host, port, sent):
    access = Access(host=host, port=port)
    assert access.is_own_host(sent) and access.is_own_origin(f"http://{sent}")
    assert not access.is_own_host(f"evil.{sent}")


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null", None])
def test_a_foreign_page_opens_no_socket(served, origin):
    with pytest.raises((InvalidStatus, ConnectionClosed)), served.person(Origin=origin):
        pass


@pytest.mark.parametrize(
    "path", ["/web/..%2fserver.py", "/web/%2e%2e/server.py", "/web/app.py", "/web//etc/passwd"]
)
def test_only_files_of_the_page_are_served(served, path):
    assert served.get(path, secret=served.secret)[0] == 404


def test_pages_run_only_their_own_scripts(served):
    status, headers, _ = served.get("/", secret=served.secret)
    policy = headers["Content-Security-Policy"]
    assert status == 200
    assert "default-src 'none'" in policy
    # The engine is WebAssembly, which needs no other permission.
    assert "script-src 'self' 'wasm-unsafe-eval';" in policy
    assert policy.count("unsafe") == 1


def test_links_survive_a_new_start_and_are_readable_for_their_owner_alone(tmp_path):
    access = Access(host="127.0.0.1", port=4321)
    link = access.invite(Guest(table="0123456789ab", seat=Seat.B))
    access.save(tmp_path)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    saved = saved_links(tmp_path)
    again = Access(host="127.0.0.1", port=4321, guests=saved.guests)
    assert again.owner_link == access.owner_link
    assert again.invite(Guest(table="0123456789ab", seat=Seat.B)) == link
    assert saved.port == 4321


def planted(folder, *, how):
    """Save links as another person or program could have left them."""
    access = Access(host="127.0.0.1", port=4321)
    access.save(folder)
    file = folder / ".serve.json"
    if how == "link":
        file.rename(folder / "elsewhere")
        file.symlink_to(folder / "elsewhere")
    elif how == "copied":
        text = file.read_text()
        # The inode of the first stays in use.
        file.rename(folder / "first")
        file.write_text(text)
        file.chmod(0o600)
    elif how == "pipe":
        file.unlink()
        os.mkfifo(file, 0o600)
    elif how == "folder":
        file.unlink()
        file.mkdir(0o600)
    elif how.startswith("mode"):
        file.chmod(int(how.split()[1], 8))
    else:
        text = how.replace("INODE", str(file.stat().st_ino))
        file.write_text(text)
    return access


PLANTED = ["link", "copied", "pipe", "mode 644", "mode 640", "mode 602", "mode 700"]
DAMAGED = ["", "[]", "{", '{"port": "x", "guests": 3}', '{"port": 99999999, "file": INODE}']


@pytest.mark.parametrize("how", [*PLANTED, *DAMAGED])
def test_links_that_others_may_know_are_void(tmp_path, how):
    """Whoever wrote or read the file would be the owner of the server."""
    old = planted(tmp_path, how=how)
    with pytest.raises(SpecError, match="may come from others, so its links are void"):
        saved_links(tmp_path)
    Access(host="127.0.0.1", port=4321).save(tmp_path)
    assert old.guests.keys().isdisjoint(saved_links(tmp_path).guests)
    # A link was replaced, and what it points to was not written.
    if how == "link":
        assert next(iter(old.guests)) in (tmp_path / "elsewhere").read_text()


def test_links_of_another_user_are_void(tmp_path, monkeypatch):
    Access(host="127.0.0.1", port=4321).save(tmp_path)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    with pytest.raises(SpecError, match="its links are void"):
        saved_links(tmp_path)


def test_a_folder_without_links_has_none(tmp_path):
    assert saved_links(tmp_path) == SavedLinks()


def test_no_other_user_can_read_a_secret_while_it_is_written(tmp_path, monkeypatch):
    modes, written = [], os.open

    def watched(path, *words, **more):
        handle = written(path, *words, **more)
        modes.append(stat.S_IMODE(os.fstat(handle).st_mode))
        return handle

    access = Access(host="127.0.0.1", port=4321)
    before = os.umask(0)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "open", watched)
            access.save(tmp_path)
            page = access.save_opener(tmp_path)
    finally:
        os.umask(before)
    assert modes.count(0o600) >= 2
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert access.owner_link in page.read_text()


def test_a_guest_sees_one_match_alone():
    guest = Guest(table="0123456789ab", seat=Seat.B)
    assert guest.may_see("0123456789ab")
    assert not guest.may_see("ba9876543210")
    assert not guest.is_owner


def test_a_folder_that_cannot_be_made_is_reported_in_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SpecError, match=r"cannot write .*use another --folder"):
        Server(tmp_path / "file" / "matches", Access(host="127.0.0.1", port=4321))
