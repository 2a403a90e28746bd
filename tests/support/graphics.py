"""Whether pictures can be drawn here, and how alike two of them are."""

import os
import re
import subprocess
from functools import cache

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import uniform_filter

from pigglesim.errors import SpecError
from pigglesim.render.offscreen import offscreen


@cache
def missing():
    """Return why nothing can be drawn here, or nothing if all is well."""
    try:
        with offscreen(16, 16):
            return ""
    except SpecError as fault:
        return str(fault)


def expect_graphics():
    """Fail where tests are run for all, skip on a machine of somebody's own."""
    if missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing())


def frames_of(video, size):
    """Return all frames of a video, RGB, shape [frame_count, height, width, 3]."""
    from imageio_ffmpeg import get_ffmpeg_exe

    words = [get_ffmpeg_exe(), "-v", "error", "-i", str(video), "-fps_mode", "passthrough"]
    words += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(words, capture_output=True, check=True)
    return np.frombuffer(done.stdout, dtype=np.uint8).reshape(-1, size[1], size[0], 3)


def size_of(video):
    """Return width and height that a video tells of itself."""
    from imageio_ffmpeg import get_ffmpeg_exe

    printed = subprocess.run(
        [get_ffmpeg_exe(), "-hide_banner", "-i", str(video)], capture_output=True, text=True
    ).stderr
    width, height = re.search(r"Video:.*, ([1-9]\d*)x(\d+)", printed).groups()
    return int(width), int(height)


def picture_size(file):
    """Return width and height of a picture."""
    with Image.open(file) as picture:
        return picture.size


def likeness(one, other):
    """Return the mean structural similarity (Wang et al. 2004) of two RGB pictures, 1 for equal."""
    one, other = (np.asarray(each, dtype=float) / 255.0 for each in (one, other))
    window = {"size": (7, 7, 1)}
    means = [uniform_filter(each, **window) for each in (one, other)]
    powers = [uniform_filter(each**2, **window) for each in (one, other)]
    spread = [power - mean**2 for power, mean in zip(powers, means, strict=True)]
    shared = uniform_filter(one * other, **window) - means[0] * means[1]
    c1, c2 = 0.01**2, 0.03**2
    top = (2 * means[0] * means[1] + c1) * (2 * shared + c2)
    return float(np.mean(top / ((means[0] ** 2 + means[1] ** 2 + c1) * (sum(spread) + c2))))
