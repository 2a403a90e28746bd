"""What needs an extra, as people meet it: verbs and calls, each with the extra it must name."""

PACKAGES = {
    "envs": "pettingzoo gymnasium",
    "mujoco": "mujoco-core",
    "cluster": "distributed",
    "convex": "coacd",
}
"""What pip is asked for in each case."""

ABSENT = ("pettingzoo", "gymnasium", "mujoco", "distributed", "coacd")

VERBS = [
    ("mujoco", "roll 1 --seed 7 --engine mujoco"),
    ("mujoco", "match --seed 7 --engine mujoco --out m.jsonl"),
    ("mujoco", "converge --pours 2 --engine mujoco"),
    ("mujoco", "compare --pours 2"),
    ("mujoco", "study --throws 10 --engine mujoco --out s"),
    ("cluster", "study --throws 10 --cluster tcp://127.0.0.1:9 --out s"),
    ("convex", "model import pig.stl --unit mm --parts coacd --yes"),
]
APIS = [
    ("envs", "import pigglesim.envs.pettingzoo"),
    ("envs", "import pigglesim.envs.gymnasium"),
    ("envs", "from pigglesim.envs import pettingzoo; pettingzoo.env('classic')"),
    ("mujoco", "from pigglesim.physics.engine import make_engine; make_engine('mujoco')"),
    ("convex", "from pigglesim.bodies.scan import expect_cutter; expect_cutter()"),
]
