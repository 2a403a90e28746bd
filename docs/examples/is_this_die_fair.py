"""Is a model a fair die? Drop it many times and test all its faces together.

`python is_this_die_fair.py d6 20000` drops the common die. For your own model, give its TOML file.
The intervals are simultaneous: all of them together hold the truth in 95 of 100 such studies.
"""

import sys

import pigglesim


def main(words: list[str]) -> None:
    """Drop a model, by default the common die, the given number of times."""
    model, throws = words[0] if words else "d6", int(words[1]) if len(words) > 1 else 6_000
    faces = len(pigglesim.poses(model).classes)
    # Bonferroni: the faces share the 5 % in which any interval may miss.
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
        print(f"no face of {model} differs from 1/{faces} (intervals up to ± {width:.3f})")


if __name__ == "__main__":
    main(sys.argv[1:])
