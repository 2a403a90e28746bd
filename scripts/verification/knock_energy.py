"""Energy that tips a standing Piggle, and energy that a pour hands over to it.

`python -m scripts.verification.knock_energy [THROWS]` pours six Piggles onto six standing ones. All
energies are heights [mm]: energy over the weight of a Piggle. A pose tips over when its centre of
mass rises by its escape height, so a knock of less energy cannot turn it.
"""

import sys
from collections import defaultdict
from dataclasses import replace

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import PhysicalChance
from pigglesim.experiments.shard import standing_team
from pigglesim.experiments.statistics import share_of
from pigglesim.landing import CupHold, Orientation, RollRequest, Seat
from pigglesim.landing_reading import pose_alone
from pigglesim.physics.engines import make_engine
from pigglesim.physics.pour import Moment
from pigglesim.rng import sub_seed
from pigglesim.rotations import to_matrix
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import GRAVITY, Scene

_SETTINGS = {
    "the scene's hand": {},
    "swing 0.8 m/s": {"swing": 0.8},
    "swing 1.6 m/s": {"swing": 1.6},
    "restitution 0.7": {"restitution": 0.7},
    "friction 0.6": {"friction": 0.6},
    "bullet": {"engine": "bullet"},
}
"""What is varied, one at a time: the hand, the contact between Piggles, the engine."""


class EnergyMeter:
    """Most energy above rest of each standing Piggle, as heights [m], shape [2, count].

    The first row is all of it. The second leaves out sliding and spinning on the spot, which cannot
    tip a Piggle: it is the rise, vertical motion and rotation about horizontal axes.
    """

    def __init__(self, body: Body, thrown: int) -> None:
        self._body, self._thrown = body, thrown
        self._last: tuple[float, np.ndarray, np.ndarray] | None = None
        self.most = np.zeros((2, 0))

    def __call__(self, moment: Moment) -> None:
        places = moment.places[self._thrown :]
        position = np.array([place.position for place in places])
        frames = np.array([to_matrix(np.array(place.rotation)) for place in places])
        if self._last is None:
            self._rest, self.most = position[:, 2], np.zeros((2, len(places)))
        elif moment.time > self._last[0]:
            step = moment.time - self._last[0]
            velocity = (position - self._last[1]) / step
            turn = np.einsum("nij,nkj->nik", frames, self._last[2])
            pairs = ((2, 1), (0, 2), (1, 0))
            spin = np.stack([turn[:, a, b] - turn[:, b, a] for a, b in pairs], axis=1) / (2 * step)
            rise = position[:, 2] - self._rest
            for row, (way, axes) in enumerate((((1, 1, 1), (1, 1, 1)), ((0, 0, 1), (1, 1, 0)))):
                energy = self._kinetic(velocity * way, spin * axes, frames) / GRAVITY + rise
                self.most[row] = np.maximum(self.most[row], energy)
        self._last = (moment.time, position, frames)

    def _kinetic(self, velocity: np.ndarray, spin: np.ndarray, frames: np.ndarray) -> np.ndarray:
        """Return kinetic energies over the mass [m2/s2]."""
        own = np.einsum("nji,nj->ni", frames, spin)
        inertia = self._body.mass.inertia / self._body.mass.mass
        return 0.5 * ((velocity**2).sum(1) + np.einsum("ni,ij,nj->n", own, inertia, own))


def changed(scene: Scene, setting: dict[str, object]) -> Scene:
    """Return a scene with another contact between two Piggles."""
    contact = {name: setting[name] for name in ("restitution", "friction") if name in setting}
    contacts = replace(scene.contacts, piggle=replace(scene.contacts.piggle, **contact))
    return replace(scene, contacts=contacts)


def measure(setting: dict[str, object], throws: int) -> None:
    """Print one row for each orientation before the throw."""
    plain, body = load_scene("piggles_classic"), load_model("piggle")
    scene = changed(plain, setting)
    names = [f"{seat}{k}" for seat in "AB" for k in range(1, 7)]
    engine = make_engine(str(setting.get("engine", "impulse")))
    chance = PhysicalChance(scene=scene, models=dict.fromkeys(names, body), engine=engine, seed=1)
    usual = replace(chance, scene=plain, engine=make_engine("impulse"))
    hand, swing = scene.hand, setting.get("swing")
    hold = swing and CupHold(
        across=0.0, back=0.0508, height=hand.lip_height, swing=float(str(swing))
    )
    rows = defaultdict(list)
    for index in range(throws):
        layout = standing_team(usual, sub_seed(1, "layout", index))
        request = RollRequest(
            thrower=Seat.A, piggles=tuple(names[:6]), standing=layout, hold=hold or None
        )
        meter = EnergyMeter(body, 6)
        result = replace(chance, watch=meter).roll(request, index=index)
        knocks = {knock.struck: knock for knock in result.knocks}
        for (name, before), most in zip(layout, meter.most.T, strict=True):
            if name in knocks:
                escape = pose_alone(body, before.place).escape
                knock = knocks[name]
                rows[before.orientation].append(
                    (index, *(most * 1e3), escape * 1e3, knock.flipped, knock.off_board)
                )
    for pose in Orientation:
        table = np.array(rows[pose], dtype=float)
        if not len(table):
            continue
        index, whole, energy, escape, flipped, gone = table.T
        knocked = np.bincount(index.astype(int))
        shares = []
        for hits in (energy > escape, flipped, gone):
            share = share_of(np.bincount(index.astype(int), hits).astype(int), knocked)
            shares.append(f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]")
        numbers = (escape.mean(), *np.percentile(whole, [50, 95]), *np.percentile(energy, [50, 95]))
        print(
            f"{pose.label:14} {len(table):6} "
            f"{' '.join(f'{number:7.1f}' for number in numbers)}   {'   '.join(shares)}"
        )


def main() -> None:
    """Print the table."""
    throws = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name, setting in _SETTINGS.items():
        print(f"{name}: heights [mm]; shares of knocked Piggles with 95 % intervals")
        print(
            "before         knocks    tips  handed    95 % tipping    95 %   enough to tip"
            "          turned                 off the board"
        )
        measure(setting, throws)


if __name__ == "__main__":
    main()
