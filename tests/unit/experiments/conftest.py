import pytest

from tests.support.small_studies import low_floor


@pytest.fixture(scope="session")
def floor(tmp_path_factory):
    return low_floor(tmp_path_factory.mktemp("floor"))
