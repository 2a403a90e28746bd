"""What tests of pictures share."""

import pytest

from tests.graphics import expect_graphics


@pytest.fixture
def graphics():
    """A machine that can draw."""
    expect_graphics()
