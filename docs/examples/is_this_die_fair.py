"""Does a model pass as a fair die? Drop it many times and look at all its faces together.

`python is_this_die_fair.py d6 20000`; a path to the TOML file of a model of your own works as well.
Each interval is so wide that all of them together hold the truth in 95 of 100 such studies.
"""

import sys

import pigglesim


def main(words: list[str]) -> None:
    """Drop a model, the common die if none is named, as often as asked for."""
    model, throws = words[0] if words else "d6", int(words[1]) if len(words) > 1 else 6_000
    faces = len(pigglesim.poses(model).classes)
    # Bonferroni: each misses in a share of the cases that all may miss in.
    level = 1.0 - 0.05 / faces
    drops = pigglesim.study("drop", model=model, throws=throws, seed=1, level=level)
    unfair = []
    for face, share in drops.shares.items():
        fair = share.low <= 1.0 / faces <= share.high
        print(f"{face:>14}: {share}{'' if fair else '   not one in ' + str(faces)}")
        if not fair:
            unfair.append(face)
    width = max(share.high - share.low for share in drops.shares.values()) / 2.0
    if unfair:
        print(f"{model} is not fair: {', '.join(unfair)}")
    else:
        print(f"nothing speaks against {model}; a bias of {width:.3f} would hardly hide")


if __name__ == "__main__":
    main(sys.argv[1:])
