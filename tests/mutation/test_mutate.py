"""The table of mutants: who counts as killed, and of which package."""

from tests.mutation.mutate import MUTATED, ROOT, TESTS, package_of, rows


def test_the_files_and_tests_exist():
    for pattern in (*MUTATED, *TESTS):
        assert list(ROOT.glob(pattern)), pattern


def test_each_package_has_its_interval_and_a_mutant_without_result_counts_nowhere():
    results = {f"pigglesim.games.piggy_six.x_f__mutmut_{n}": "killed" for n in range(8)}
    results |= {
        "pigglesim.games.piggy_six.x_g__mutmut_1": "timeout",
        "pigglesim.games.piggy_six.x_g__mutmut_2": "no tests",
        "pigglesim.games.game.x_h__mutmut_1": "survived",
        "pigglesim.reading.x_r__mutmut_1": "killed",
        "pigglesim.reading.x_r__mutmut_2": "not checked",
    }
    assert rows(results) == [
        ("games", "1", "0", "0", "0.0%", "0.0% to 79.3%"),
        ("games.piggy_six", "10", "9", "1", "90.0%", "59.6% to 98.2%"),
        ("reading", "1", "1", "0", "100.0%", "20.7% to 100.0%"),
        ("all", "12", "10", "1", "83.3%", "55.2% to 95.3%"),
    ]
    assert package_of("pigglesim.landing.x_f__mutmut_1") == "landing"
