"""Nobody without a link, and no foreign page, is answered."""

import stat

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pigglesim.errors import SpecError
from pigglesim.landing import Seat
from pigglesim.serve.access import Access, Guest, SavedLinks, saved_links
from pigglesim.serve.server import Server
from tests.serving import running


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with running(tmp_path_factory.mktemp("matches")) as found:
        yield found


def test_a_link_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(served):
    status, headers, _ = served.get(f"/?token={served.secret}")
    assert (status, headers["Location"]) == (303, "/")
    cookie = headers["Set-Cookie"]
    assert cookie.startswith(f"pigglesim-{served.access.port}={served.secret};")
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()


@pytest.mark.parametrize("path", ["/", "/web/app.js", "/match/0123456789ab/match.jsonl"])
@pytest.mark.parametrize("secret", [None, "", "x" * 32])
def test_without_a_valid_secret_nothing_is_served(served, path, secret):
    status, _, body = served.get(path, secret=secret)
    assert status in {403, 404}
    assert b"<" not in body


def test_a_wrong_token_is_refused_in_a_line(served):
    status, headers, body = served.get("/?token=" + "x" * 32)
    assert (status, headers["Set-Cookie"]) == (403, None)
    assert b"not valid" in body


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1:1", "127.0.0.1", ""]
)
def test_a_foreign_name_is_refused_even_with_the_secret(served, host):
    """After a name is bound anew to this machine (DNS rebinding), its page knows only that name."""
    assert served.get("/", secret=served.secret, host=host)[0] in {400, 421}


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null", None])
def test_a_foreign_page_opens_no_socket(served, origin):
    with pytest.raises((InvalidStatus, ConnectionClosed)), served.person(Origin=origin):
        pass


def test_no_socket_without_the_secret(served):
    with pytest.raises((InvalidStatus, ConnectionClosed)), served.person("x" * 32):
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
    assert "default-src 'none'" in policy and "script-src 'self'" in policy
    assert "unsafe" not in policy


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


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"port": "x", "guests": 3}', '{"port": 99999999, "guests": {"a": 1}}']
)
def test_a_damaged_file_of_links_gives_new_links(tmp_path, text):
    (tmp_path / ".serve.json").write_text(text)
    assert saved_links(tmp_path) == SavedLinks()


def test_a_guest_sees_one_match_alone():
    guest = Guest(table="0123456789ab", seat=Seat.B)
    assert guest.may_see("0123456789ab")
    assert not guest.may_see("ba9876543210")
    assert not guest.is_owner


def test_a_folder_that_cannot_be_made_is_said_in_a_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SpecError, match=r"cannot write .*use another --folder"):
        Server(tmp_path / "file" / "matches", Access(host="127.0.0.1", port=4321))
