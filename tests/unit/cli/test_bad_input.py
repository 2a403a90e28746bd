"""Bad input of every verb is one line with a remedy, found before any work, and harms nothing."""

import shlex

import pytest

from pigglesim.errors import PigglesimError
from tests.front_door import run, run_here
from tests.unit.bodies import scans

FAULTS = {
    "roll": [
        ("x", "expected PIGGLES to be a whole number, got 'x'; try: 6"),
        ("--seed x", "expected --seed to be a whole number, got 'x'; try: --seed 400 "),
        ("--colour red", "expected an option of pigglesim roll, got '--colour'; try: "),
        ("--seed", "expected a value after --seed, got none; try: --seed N"),
        ("--json=3", "expected --json without a value, got one; try: --json alone"),
        ("3 4", "expected nothing more after pigglesim roll [PIGGLES], got '4'; try: "),
        ("--height 4ft", "--height to be a length [in], got '4ft'; try: --height 4in, or another"),
        ("--at nan", "expected --at to be a number, got 'nan'; try: --at 0.5"),
        ("0", "pigglesim roll 1"),
        ("--model pigle", "try: piggle"),
        ("--model piggle,premium", "1 or 6 models"),
        ("--scene piggles_clasic", "try: piggles_classic"),
        ("--seed -1", "--seed 1"),
        ("--height 1.5", "increase lip_height_in or --height"),
        ("--rule mud_delay", "name=value"),
        ("--onto nowhere.json", "roll --json"),
        ("--film x.mp4", "a file that ends in .film"),
        ("--film no/x.film", "no/x.film: no such folder"),
        ("--png a.jpg", "ends in .png"),
        ("--video a.avi", ".mp4 or .webm or .gif"),
        ("--png no/a.png", "no such folder"),
        ("--size 160x90", "--png or --video with --size, got --size alone"),
        ("--png a.png --fps 10", "add --video"),
        ("--video a.mp4 --at 1", "add --png"),
        ("--glb none/roll.glb", "none/roll.glb: no such folder"),
        ("--svg roll.png", "a file that ends in .svg"),
        ("--view --png a.png", "DISPLAY is not set; try: leave --view out: --png F.png and --v"),
    ],
    "match": [
        ("--a gredy", "try: greedy"),
        ("--a mcts:nods=3", "try: nodes"),
        ("--chance fysical", "try: physical"),
        ("--chance tabular --team-b premium", "--chance physical"),
        ("--odds piggle", "--chance tabular"),
        ("--chance tabular --engine bullet", "--chance physical with --engine"),
        ("--chance tabular --out m.html", "a record that ends in .jsonl or"),
        ("--a greedy --b greedy --agents uniform", "--agents, or --a"),
        ("--record no/such/folder/m.jsonl", "--out match.jsonl"),
        ("--house-rules nowhere.toml", "check the path"),
        ("--film", "--out match.jsonl"),
        ("--film --chance tabular --out x.jsonl", "no --film"),
        ("--out m.jsonl --film", "--force to replace it"),
        ("--view", "DISPLAY is not set; try: leave --view out"),
        ("--view --out x.jsonl", "leave --view out, and draw it afterwards: pigglesim replay x.js"),
        ("--view --chance tabular", "--chance physical"),
        ("--view --b human", "pigglesim play --view"),
        ("--resume m.jsonl", "one played to its end"),
        ("pig_pile --resume m.jsonl --a uniform", "got --a, pig_pile"),
        ("--resume m.jsonl --out other.txt", "got --out"),
        ("lord_of_the_pigs --agents greedy,uniform", "4"),
    ],
    "play": [
        ("--view --plain", "--view alone"),
        ("--view --seed 3", "leave --view out: the match is played in this terminal"),
    ],
    "replay": [
        ("nowhere.jsonl", "try:"),
        ("m.jsonl --action skip", "add --what-if"),
        ("m.jsonl --times 5", "--what-if with --times, got --times alone"),
        ("m.jsonl --no-places", "add --write"),
        ("m.jsonl --step --json", "--json alone"),
        ("m.jsonl --what-if 99", "a decision from 0 to"),
        ("m.jsonl --what-if 0 --action 'load B1'", "R8"),
        ("m.jsonl --what-if 0 --round 2", "--what-if alone, which shows"),
        ("m.jsonl --write no/such/folder/x.txt", "another --out"),
        ("m.jsonl --write a.txt --to-round 2", "--write alone, which shows"),
        ("m.jsonl --write x.txt --html m.html", "--glb, --html or --svg or --write, got both"),
        ("m.jsonl --film --step", "one at a time"),
        ("m.jsonl --film --what-if 0", "one at a time"),
        ("m.jsonl --film", "replay it without --film"),
        ("m.jsonl --png a.png", "rolled on physics"),
        ("m.jsonl --round 1 --to-round 2", "--round alone"),
        ("m.jsonl --from-round 9", "--from-round 1"),
        ("m.jsonl --html folder/m.html", "no such folder"),
    ],
    "board": [
        ("m.jsonl --seat C", "a known seat"),
        ("m.jsonl --seat A --resolved", "--seat or --resolved, got both"),
        ("m.jsonl --record 2", "got 1 records"),
        ("m.jsonl --round 9", "that came to a turn, got round 9; try: --round 1"),
    ],
    "view": [
        ("--piggles 7", "1 to 6 Piggles"),
        ("--viewer mirror", "a known viewer"),
        ("nowhere.film", "nowhere.film"),
        ("--json", "--viewer null"),
        ("", "try: pigglesim roll --png F.png or --video F.mp4"),
        ("m.jsonl --seed 3", "m.jsonl alone, whose rolls are shown, got --seed"),
        ("r.film --from-roll 1", "got --from-roll"),
        ("--record 1", "got --record"),
        ("m.jsonl --from-roll 99 --viewer null", "--from-roll 0"),
        ("m.jsonl --viewer null", "a match rolled on physics"),
    ],
    "film": [
        ("none.film", "pigglesim roll --film FILE"),
        ("m.jsonl", "or simulate the roll again"),
        (".", "pigglesim replay match.jsonl --film"),
    ],
    "study": [
        ("--kin drop", "expected an option of pigglesim study, got '--kin'; try: --kind"),
        ("--kind dorp", "'drop', 'pour' or 'knock'"),
        ("--factor friction", "--factor friction=0.2,0.4"),
        ("--throws 5 --half-width .1", "both"),
        ("--throws 9 --cluster x --workers 2", "--cluster or --workers"),
        ("--level 95", "--level to be a number from 0.5 to 0.9999"),
        ("--interval wald", "wilson"),
        ("--out .", "another --out"),
        ("--watch --kind drop --throws 100", "--kind pour"),
        ("--watch --kind pour --throws 2", "leave --watch out: the report draws"),
        ("nowhere.toml", "nowhere.toml"),
        ("quary drops", "query"),
        ("query nowhere 'SELECT 1'", "no folder nowhere"),
        ("odds . --out odds", "odds.json"),
    ],
    "tournament": [
        ("", "--agents uniform,greedy"),
        ("--agents greedy", "two agents or more"),
        ("--agents greedy,uniform --time-limit 0", "--time-limit 5"),
        ("--agents greedy,uniform --plot cup.pdf", "ends in .png or .svg"),
        ("--agents greedy,uniform --level 1.5", "--level to be a number from 0.5"),
        ("--agents greedy,uniform --engine bullet", "--chance physical"),
    ],
    "balance": [
        ("--parts colour:purple", "a known colour of a Piggle, got 'purple'"),
        ("--engine bullet", "--chance physical with --engine"),
        ("report .", "a folder that pigglesim balance wrote"),
    ],
    "solve": [
        ("pig", "piggy_six"),
        ("--ending never", "equal-turns"),
        ("--variant dice", "two-dice"),
        ("--second", "add --position"),
        ("--position 1,2,x", "40,60,12"),
        ("--plot stops.txt", "stops.png"),
        ("--solitaire 8", "8,14"),
        ("--solitaire 8,14 --variant pig", "leave them out"),
    ],
    "converge": [
        ("piggles_clasic", "try: piggles_classic"),
    ],
    "compare": [
        ("--engines bullet", "--engines bullet,mujoco"),
        ("--engines bullet,bullet", "--engines bullet,mujoco"),
        ("--engines bullet,bulet", "try: bullet"),
    ],
    "odds": [("check --model no-such", "try: piggle, premium")],
    "validate": [
        ("nowhere", "one folder a die"),
        (". --engine bulet", "one folder a die"),
    ],
    "fit": [
        ("", "expected DIR after pigglesim fit, got none; try: pigglesim fit dice --out fit"),
        ("dice", "--out DIR after pigglesim fit, got none; try: pigglesim fit dice --out fit"),
    ],
    "models": [
        ("--only d6 --measure shares.json", "study --kind pour --model d6"),
        ("--pours 3", "--measure with --pours"),
    ],
    "model": [
        ("imp", "expected a verb of pigglesim model, got 'imp'; try: pigglesim model import"),
        *[
            (f"import brick.stl --unit mm {words}", told)
            for words, told in (
                ("", "--face +z --crown +y (where the snout and the top of the head of a pig po"),
                # Agreeing to everything is not an answer to a question nobody asked.
                ("--yes", "or --classes with your own names, as in --classes a*2,b*2,c*2"),
                ("--classes flat*2,edge*2,Snout-Up*2", "--classes up,down,head"),
                ("--classes 'flat*2,edge*2,<b>,<b>'", "--classes top,bottom,side"),
                ("--face +z", "--face +z --crown +y"),
                ("--face +z --crown up", "--crown +z"),
                ("--yes --name piggle", "--name my_piggle"),
                ("--yes --name 'My Pig'", "--name brick"),
                ("--yes --density 30000", "--density to be a number from 1 to 23,000"),
                ("--yes --parts hul", "try: hull"),
                ("--yes --unit km", "--unit mm"),
                ("--yes --out brick.stl", "--out models"),
            )
        ],
    ],
    "poses": [
        ("piggle --plot poses.jpg", "poses.png"),
        ("piggle --unit mm", "leave --unit out"),
        ("pig.stl", "check the path"),
    ],
    "bench": [
        ("--only por", "try: pour"),
        ("--repeats 0", "a whole number from 1 to 1,000, got 0; try: --repeats 1"),
    ],
    "rol": [("", "expected a verb of pigglesim, got 'rol'; try: pigglesim roll")],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the record of a match by odds and a mesh."""
    folder = tmp_path_factory.mktemp("bad")
    words = ("match", "--chance", "tabular", "--rule", "rounds=1", "--no-boards", "--seed", 3)
    assert run_here(*words, "--out", folder / "m.jsonl").exit_code == 0
    scans.write(scans.brick(), folder / "brick.stl")
    return folder


@pytest.mark.parametrize(
    ("verb", "words", "told"),
    [(verb, *fault) for verb, faults in FAULTS.items() for fault in faults],
)
def test_bad_input_is_one_line_with_a_remedy_and_harms_nothing(
    folder, monkeypatch, verb, words, told
):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DISPLAY", "")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    with pytest.raises(PigglesimError) as fault:
        run_here(verb, *shlex.split(words))
    assert told in str(fault.value)
    assert "\n" not in str(fault.value)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_it_goes_to_standard_error_with_status_2(tmp_path):
    ended = run("roll", "--seed", "x", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("pigglesim: expected --seed to be a whole number, got 'x'; try")
    assert ended.stderr.count("\n") == 1
