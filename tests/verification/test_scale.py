"""`scripts/scale` makes a study folder of the right size without its throws."""

import subprocess
import sys
from pathlib import Path

import pytest

import pigglesim

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_folder_is_made_from_the_throws_of_one_shard(tmp_path):
    words = [tmp_path / "big", "--kind", "drop", "--throws", 1500, "--shard-size", 250]
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "scale", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert "6 shards:" in done.stdout
    counts = pigglesim.read_study(tmp_path / "big").query(
        "SELECT count(*) AS throws, count(DISTINCT throw) AS own FROM throws"
    )
    assert counts == [{"throws": 1500, "own": 1500}]
