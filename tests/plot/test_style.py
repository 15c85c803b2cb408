"""The colours can be told apart, on either ground, by people with any colour vision."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from ucpmon.plot.layout.style import THEMES, line_look

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
VISION = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = XYZ.sum(axis=1)


def linear(color):
    channels = np.array(to_rgb(color))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    x, y, z = (XYZ @ rgb) / WHITE
    f = [c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def luminance(color):
    return float(XYZ[1] @ linear(color))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("style", THEMES)
def test_the_five_lines_of_an_overlay_differ(style, vision):
    seen = [lab(np.clip(np.array(VISION[vision]) @ linear(c), 0, 1)) for c in THEMES[style].lines[:5]]
    distances = [float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)]
    assert min(distances) > 15


@pytest.mark.parametrize("style", THEMES)
def test_lines_and_words_stand_out_from_the_ground(style):
    theme = THEMES[style]
    assert min(contrast(c, theme.ground) for c in theme.lines) >= 3
    assert min(contrast(c, theme.ground) for c in (theme.ink, theme.muted, theme.alarm)) >= 4.5


def test_past_the_last_colour_the_dash_changes():
    looks = [str(line_look(THEMES["light"], i)) for i in range(24)]
    assert len(set(looks)) == 24
