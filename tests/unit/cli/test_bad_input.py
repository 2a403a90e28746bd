"""Bad input of every verb is one line with a remedy, found before any work, and harms nothing."""

import re
import shlex

import pytest
from click import Context
from typer.main import get_command

from pigglesim.cli.app import app
from pigglesim.data_files import model_file
from pigglesim.errors import PigglesimError
from tests.support.front_door import run, run_here
from tests.unit.bodies import scans

MODELS = model_file("piggle").parent
FAULTS = """
rol: pigglesim roll
roll x: unknown model 'x'
roll --seed x: use --seed 400
roll --colour red: --colour
roll --seed: --seed N
roll --json=3: --json
roll 3 4: unknown model '3'
roll --height 4ft: use --height 4in
roll --at nan: use --at 0.5
roll 0: pigglesim roll 1
roll --model pigle: piggle
roll 3 --model piggle,premium: 2 models for 3
roll --scene piggles_clasic: piggles_classic
roll --rule mud_delay: name=value
roll --rule mud_delay=1 --rule mud_delay=none: mud_delay is given twice
roll --seed 1 --scene piggles_classic --seed 2: --seed is given twice
roll --onto nowhere.json: roll --json
roll 2 --start AAAA: expected 18 numbers in base64
roll --film x.mp4: .film
site /dev/null: name a folder
roll --video a.avi: .webm
roll --size 160x90: --png or --video
roll --png a.png --fps 10: add --video
roll --glb none/roll.glb: none/roll.glb
roll --view --png a.png: --png F.png and --video F.mp4 need no display
match --a gredy: greedy
match --a mcts:nods=3: nodes
match --chance tabular --team-b mine.toml: --chance physical
match --odds piggle: --chance tabular
match --chance tabular --engine bullet: --chance physical
match --chance tabular --out m.html: .jsonl
match --a greedy --b greedy --agents uniform: --agents
match --film: --out match.jsonl
match --out m.jsonl --film: --force
match --view --out x.jsonl: pigglesim replay x.jsonl
match --view --b human: pigglesim play --view
match --resume m.jsonl: m.jsonl
match pig_pile --resume m.jsonl --a uniform: --a, pig_pile
match --resume m.jsonl --out other.txt: --out
match lord_of_the_pigs --agents greedy,uniform: 4
play --view --plain: --plain
play --view --speed 2: --speed has no effect: --view plays in the browser
replay m.jsonl --action skip: add --what-if
replay m.jsonl --step --json: --step
replay m.jsonl --what-if 99: 99
replay m.jsonl --what-if 0 --action 'load B1': R8
replay m.jsonl --what-if 0 --round 2: --what-if
replay m.jsonl --write no/such/folder/x.txt: no/such/folder
replay m.jsonl --write x.txt --html m.html: --glb, --html or --svg with --write
replay m.jsonl --film --step: one at a time
replay m.jsonl --record 1e19: list them with
replay m.jsonl --film: without --film
replay m.jsonl --png a.png: tabular
match piggy_six --position "bank=1 active=A round=1" --out n.jsonl: against R3; correct
match --position "bank=1 active=A round=1" --out n.jsonl: position of piggles_classic: unknown word
match piggy_six --position "bank=0,100 active=B round=1 result=B:points": over
match --position "round=1 active=A phase=load" --out n.jsonl: A1 is nowhere, against R1
match --position @no.txt: no.txt
match --position @m.jsonl:99: unknown decision 99
match --resume m.jsonl --position x: --position
play --position "round=9": against R
tournament --agents greedy,uniform --out cup --position "round=9": against R
tournament --agents greedy,my_agent.py:Mine:depth=1:depth=2: depth is given twice
replay m.jsonl --round 1 --to-round 2: --round
replay m.jsonl --from-round 9: --from-round 1
board m.jsonl --seat C: seat
board m.jsonl --seat A --resolved: --resolved
board m.jsonl --record 2: no record 2
board m.jsonl --round 9: --round 1
view --piggles 7: 1 to 6
view --json: --viewer null
view: pigglesim roll --png F.png or --video F.mp4
view m.jsonl --seed 3: --seed
view r.film --from-roll 1: --from-roll
view m.jsonl --from-roll 99 --viewer null: --from-roll 0
view m.jsonl --viewer null: tabular
film m.jsonl: m.jsonl
film .: pigglesim replay match.jsonl --film
study --kin drop: --kind
study --kind dorp: dorp
study --factor friction: --factor friction=0.2,0.4
study --throws 5 --half-width .1: throws
study --throws 9 --cluster x --workers 2: --cluster
study --level 95: use --level 0.95
study --out .: another --out
study --watch --kind drop --throws 100: --kind pour
study --watch --kind pour --throws 2: leave --watch out
study quary drops: query
study query nowhere 'SELECT 1': nowhere
study query drops 'SELECT 1' --time-limit 1e9: use --time-limit 1000000
study odds . --out odds: odds.json
tournament: --agents uniform,greedy
tournament --agents greedy: agents
tournament --agents greedy,uniform --time-limit 0: --time-limit
tournament --agents greedy,uniform --plot cup.pdf: .svg
balance --parts colour:purple: purple
balance report .: balance
balance --factor rounds=6,6: the level rounds=6 is given twice
balance --factor rounds=6: rounds has one level
balance --factor rounds: expected NAME=LEVEL,LEVEL); use --factor rounds=6,4
balance --factor rnds=6,4: unknown house rule 'rnds'; use rounds
balance --factor house_rules=a.toml,b.toml: a.toml
solve --variant dice: two-dice
solve --position 1,2,x: 40,60,12
solve --solitaire 8: 8,14
solve --solitaire 8,14 --variant pig: --solitaire
compare --engines bullet,bullet: --engines bullet,mujoco
odds check --model no-such: piggle, premium
fit: pigglesim fit dice --out fit
fit dice: --out PATH
design piggle --target up=.5,down=.4,head=.2: add up to 1.1 (expected 1)
design piggle --target top=.5: unknown class of piggle 'top'
design pigle --target up=.5: unknown model 'pigle'; use piggle
design d6 --target 1=.2 --free colour: unknown kind of free parameter
design d6 --target 1=.2 --material gold: unknown material 'gold'
design d6 --target 1=.2 --free shape --material lead: shape; add --free ballast,shape
design d6 --target 1=.2 --floor lava: unknown floor 'lava' (expected felt, printed, tabletop)
study --floor lava: unknown floor 'lava' (expected felt, printed, tabletop); use one of these
design d6 --target 1=.2 --drops 3: --drops 3 (expected a whole number
design d6 --target 1=.2 --out .: and no design.json
print d6 --out new --size 3mm: invalid --size 3mm (expected a length [mm] from 15 to 200)
print d6 --out new --size 2kg: invalid --size '2kg'
print premium --out new --size 20mm: around the ballast of premium is 0.
print pigle --out new --size 40mm: unknown model 'pigle'
print d6 --out new --size 40mm --floor lava: unknown floor 'lava'
print d6 --out . --size 20mm: . exists (expected a new folder); use another --out
print d6 --out new --size 2cm --infill -.1: invalid --infill -.1 (expected a number from 0 to 1)
print d6 --out new --size 2cm --infill 1.5: invalid --infill 1.5 (expected a number from 0 to 1)
print d6 --out new --size 2cm --infill .1 --walls -1: -1 (expected a whole number from 0 to 100)
print d6 --out new --size 2cm --infill .1 --covers -1: -1 (expected a whole number from 0 to 100)
print d6 --out new --size 2cm --walls 3: --walls needs --infill; add --infill
print d6 --out new --size 2cm --infill 0 --walls 0 --covers 0: no plastic is left of a print
analyse missing.jsonl: cannot read 'missing.jsonl'
analyse many.jsonl: holds several records; choose one with --record 1
analyse m.jsonl --agent optimal: agent optimal got piggles_classic
analyse m.jsonl --out a.svg: not the name of a record
analyse m.jsonl --worst -1: 0 to 1,000
analyse: no record to analyse
analyse m.jsonl --position round=1: m.jsonl has no effect: --position is no record
analyse m.jsonl --game piggy_six: --game has no effect with a record
analyse --position 'round=1 A.pen=A1': A2 is nowhere, against R1
analyse --position 'bank=9,9 rolling=yes dice=2' --game piggy_six: no player is to
model imp: pigglesim model import
model import brick.stl --unit mm: --face +z --crown +y (where
model import brick.stl --unit mm --yes: --classes a*2,b*2,c*2
model import brick.stl --unit mm --classes flat*2,edge*2,Snout-Up*2: --classes up,down,head
model import brick.stl --unit mm --classes 'flat*2,edge*2,<b>,<b>': <b>
model import brick.stl --unit mm --face +z: --face +z --crown +y
model import brick.stl --unit mm --face +z --crown up: --crown +z
model import brick.stl --unit mm --yes --name piggle: --name my_piggle
model import brick.stl --unit mm --yes --name 'My Pig': --name my_pig
model import brick.stl --unit km --yes: use m or mm or cm
model import brick.stl --unit mm --yes --out brick.stl: --out models
model import brick.stl --yes: use --unit mm
poses piggle --join: leave --join out
fair 1 2 --shares x,1: use --shares .5,.3,.2
fair 5: 1 class (expected throws in 2 classes or more)
fair 0 0: 0 throws
fair 5 -1: is not an option
fair 5 x: whole number
fair 5 6 --shares 1: 1 shares for 2 counts
fair 5 6 --shares 1,0: numbers above 0
fair 5 6 --shares 1,nan: numbers above 0
fair 5 6 --labels a: one name per count
fair 5 6 --labels a,a: one name per count
fair 5 6 --plot x.txt: .png
fair 1e30 6: 1,000,000,000
fair 9 9 2 --shares .5,.4,.2: 1.1 (expected 1, or weights such as 5,4,2); divide them by 1.1
study factors --kind pur: pour
study query drops 'SELECT 1' --csv rows.txt: rows.csv
poses piggle --unit mm: --unit
"""
FLAG, VERB = re.compile(r"--[a-z][a-z-]*"), re.compile(r"pigglesim (\w[\w ]*)")


def options_of(words):
    """Return the flags of the verb that some words begin with, for errors must name no others."""
    command = get_command(app)
    for word in words.split():
        found = getattr(command, "get_command", lambda *_: None)(Context(command), word)
        if found is None:
            break
        command = found
    return {option for each in command.params for option in (*each.opts, *each.secondary_opts)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the record of a match by odds and a mesh."""
    folder = tmp_path_factory.mktemp("bad")
    words = ("match", "--chance", "tabular", "--rule", "rounds=1", "--no-boards", "--seed", 3)
    assert run_here(*words, "--out", folder / "m.jsonl").exit_code == 0
    (folder / "many.jsonl").write_text(2 * (folder / "m.jsonl").read_text())
    scans.write(scans.brick(), folder / "brick.stl")
    spec = (MODELS / "premium.toml").read_text().replace('id = "premium"', 'id = "mine"')
    (folder / "mine.toml").write_text(spec)
    for file in ("piggle.obj", "piggle.mtl", "piggle_parts.obj"):
        (folder / file).write_bytes((MODELS / file).read_bytes())
    return folder


@pytest.mark.parametrize("line", FAULTS.strip().splitlines())
def test_bad_input_is_one_line_with_a_remedy_and_harms_nothing(folder, monkeypatch, line):
    words, _, problem = line.partition(": ")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DISPLAY", "")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    with pytest.raises(PigglesimError) as fault:
        run_here(*shlex.split(words))
    assert problem in str(fault.value)
    assert set(FLAG.findall(str(fault.value))) <= {
        "--help",
        *FLAG.findall(line),  # the error repeats what was typed
        *options_of(words),
        *(flag for verb in VERB.findall(str(fault.value)) for flag in options_of(verb)),
    }
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize(
    "line",
    [
        "roll --seed N", "compare --pours N", "fair N 3", "match --matches N", "solve --target N",
        "solve --hold N", "solve --solitaire N,5", "solve --position N,5,3",
        "analyse --position @m.jsonl:N", "roll --decided --error N", "film show x.film --roll N",
    ],
)  # fmt: skip
def test_a_number_of_thousands_of_digits_is_bad_input(folder, monkeypatch, line):
    monkeypatch.chdir(folder)
    with pytest.raises(PigglesimError) as fault:
        run_here(*line.replace("N", "9" * 5000).split())
    assert len(str(fault.value)) < 500


def test_a_path_that_the_system_refuses_is_one_short_line(tmp_path):
    ended = run("film", "\x1b[31m" + "x" * 3000, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "File name too long" in ended.stderr and "\x1b" not in ended.stderr
    assert ended.stderr.count("\n") == 1 and len(ended.stderr) < 300


def test_it_goes_to_standard_error_with_status_2(tmp_path):
    ended = run("roll", "--seed", "x", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("pigglesim: invalid --seed 'x'")
    assert ended.stderr.count("\n") == 1
