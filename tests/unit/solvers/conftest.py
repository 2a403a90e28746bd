import pytest

from pigglesim.solvers import dice_game as kept


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    """Keep solutions of tests away from the user's own."""
    monkeypatch.setattr(kept, "user_cache", lambda: tmp_path)
