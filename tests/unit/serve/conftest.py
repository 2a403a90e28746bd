"""A server for the tests of a file."""

import pytest

from tests.support.serving import running


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Run a server of an empty folder of matches."""
    with running(tmp_path_factory.mktemp("matches")) as found:
        yield found
