"""The renderer: areas, hiding, light and lines are what geometry says; colours, letters, PNG."""

from __future__ import annotations

import io
import math
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum.errors import InputError
from granum.output import colours, lettering, picture, raster, shading
from granum.output.bodies import bodies_of
from granum.output.colours import colour_by, decode, encode
from granum.output.picture import draw, panel, view_axes
from granum.output.png import write_png
from granum.portrait import time_labels

RED, BLUE = (0.9, 0.1, 0.1), (0.1, 0.1, 0.9)
FRONT = (-90.0, 0.0)  # the viewer at negative y: x to the right, z upwards
BOX = ((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))


def z_buffer(sphere: np.ndarray, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    none = np.zeros((0, 2), dtype=int), np.zeros((0, 3), dtype=int)
    bodies, _ = bodies_of(sphere[:, :3], sphere[:, 3], *none)
    return bodies.buffers(shape, np.array(picture.NO_CUT))


def backdrop(size: tuple[int, int]) -> np.ndarray:
    return draw(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), size=size)


def shown(image: np.ndarray) -> np.ndarray:
    """Tell which pixels differ from the empty picture."""
    height, width, _ = image.shape
    return (image != backdrop((width, height))).any(axis=2)


def test_a_sphere_covers_the_area_of_its_disc() -> None:
    _, owner = z_buffer(np.array([[300.3, 280.7, 0.0, 200.0]]), (600, 600))
    assert (owner == 0).sum() == pytest.approx(math.pi * 200.0**2, rel=1e-3)


def test_a_drawn_sphere_covers_the_area_of_its_disc() -> None:
    image = draw([[0.0, 0.0, 0.0]], [0.8], [RED], size=(900, 900), view=FRONT, frame=BOX)
    scale = 900 * (1 - 2 * picture.MARGIN) / 2  # pixels for a metre
    assert shown(image).sum() == pytest.approx(math.pi * (0.8 * scale) ** 2, rel=0.01)


def test_a_z_buffer_equals_the_plain_search() -> None:
    rng = np.random.default_rng(1)
    sphere = np.column_stack([rng.uniform(-5, 45, (30, 2)), rng.uniform(-9, 9, 30),
                              rng.uniform(0.8, 9, 30)])
    depth, owner = z_buffer(sphere, (30, 40))
    for row in range(30):
        for column in range(40):
            d2 = (column + 0.5 - sphere[:, 0]) ** 2 + (row + 0.5 - sphere[:, 1]) ** 2
            inside = d2 <= sphere[:, 3] ** 2
            if not inside.any():
                assert owner[row, column] == raster.BACKGROUND
                continue
            z = np.where(inside, sphere[:, 2] + np.sqrt(np.abs(sphere[:, 3] ** 2 - d2)), -np.inf)
            assert owner[row, column] == np.argmax(z)
            assert depth[row, column] == pytest.approx(z.max(), abs=1e-5)


@pytest.mark.parametrize("order", [1, -1])
def test_the_nearer_sphere_hides_the_farther(order: int) -> None:
    points = np.array([[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]])[::order]
    paint = np.array([RED, BLUE])[::order]
    middle = draw(points, 0.3, paint, size=(80, 80), view=FRONT, frame=BOX)[40, 40].astype(int)
    assert middle[0] > middle[2] + 50
    behind = draw(points, 0.3, paint, size=(80, 80), view=(90, 0), frame=BOX)[40, 40].astype(int)
    assert behind[2] > behind[0] + 50


def test_directions_are_those_of_the_world() -> None:
    def centre_of(point: tuple, view: tuple) -> np.ndarray:
        rows, columns = np.nonzero(shown(draw([point], 0.2, [RED], size=(100, 100), view=view,
                                              frame=BOX)))
        return np.array([columns.mean(), rows.mean()]) - 49.5

    assert centre_of((0.5, 0, 0), FRONT) == pytest.approx([22.5, 0], abs=0.6)
    assert centre_of((0, 0, 0.5), FRONT) == pytest.approx([0, -22.5], abs=0.6)
    assert centre_of((0, 0.5, 0), FRONT) == pytest.approx([0, 0], abs=0.6)
    assert centre_of((0.5, 0, 0), (-90, 90)) == pytest.approx([22.5, 0], abs=0.6)
    assert centre_of((0, 0.5, 0), (-90, 90)) == pytest.approx([0, -22.5], abs=0.6)


@given(azimuth=st.floats(-360, 360), elevation=st.floats(-90, 90))
@settings(deadline=None)
def test_view_axes_are_orthonormal_with_z_upwards(azimuth: float, elevation: float) -> None:
    axes = view_axes(azimuth, elevation)
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
    right, down, viewer = axes
    assert np.cross(right, down) == pytest.approx(-viewer, abs=1e-12)
    assert right[2] == 0.0
    assert down[2] <= 1e-12


def test_everything_fits_into_the_picture() -> None:
    rng = np.random.default_rng(2)
    image = draw(rng.random((200, 3)) * [5, 1, 2], 0.1, RED, [rng.random((9, 3)) * 7 - 2],
                 size=(160, 120), view=(33, 21))
    mask = shown(image)
    assert mask.any()
    assert not mask[[0, 1, -2, -1]].any()
    assert not mask[:, [0, 1, -2, -1]].any()


def test_light_comes_from_above_and_the_shade_is_below() -> None:
    image = draw([[0, 0, 0]], 0.9, [(0.6, 0.6, 0.6)], size=(200, 200), view=FRONT, frame=BOX)
    light = image.astype(int).sum(axis=2)
    assert light[60, 100] > light[140, 100] + 60
    assert light[100, 60] > light[100, 140]


def test_a_sphere_casts_a_shadow_where_the_light_is_cut_off() -> None:
    key = np.array(picture.KEY_LIGHT) / np.linalg.norm(picture.KEY_LIGHT)
    towards_light = np.array([key[0], -key[2], -key[1]])  # from the picture's axes to the world's
    points = np.array([np.zeros(3), 1.2 * towards_light])
    shape = {"size": (200, 200), "view": FRONT, "frame": ((-1, -1, -1), (1, 1, 1))}
    paint = (0.6, 0.6, 0.6)
    alone = draw(points[:1], 0.6, paint, **shape).astype(int).sum(axis=2)
    shadowed = draw(points, [0.6, 0.2], paint, **shape).astype(int).sum(axis=2)
    scale = 200 * (1 - 2 * picture.MARGIN) / 2
    column, row = (int(100 + scale * 0.6 * key[axis]) for axis in (0, 1))
    assert shadowed[row, column] < 0.8 * alone[row, column]
    assert (shadowed[100:, 100:] > 0.95 * alone[100:, 100:]).all()  # away from it, no shadow


def test_grains_in_a_heap_are_darker_in_the_gaps() -> None:
    grid = np.stack(np.meshgrid(*[np.arange(5.0)] * 2), axis=-1).reshape(-1, 2)
    heap = np.column_stack([grid[:, 0], np.zeros(25), grid[:, 1]])
    shape = {"size": (200, 200), "view": FRONT, "frame": ((0, 0, 0), (4, 0, 4))}
    crowd = draw(heap, 0.5, (0.6, 0.6, 0.6), **shape)
    lone = draw(heap[12:13], 0.5, (0.6, 0.6, 0.6), **shape)
    mask = shown(lone)
    assert crowd[mask].mean() < lone[mask].mean() - 5


def segment_cover(*ends: float, half_width: float = 1.5, size: int = 64) -> np.ndarray:
    depth = np.full((size, size), -np.inf, np.float32)
    front, hidden = np.zeros_like(depth), np.zeros_like(depth)
    raster.stroke(np.array([ends]), half_width, depth, front, hidden)
    assert not hidden.any()
    return front


@given(angle=st.floats(0, 2 * math.pi))
@settings(deadline=None, max_examples=50)
def test_a_line_covers_length_times_width_in_every_direction(angle: float) -> None:
    x, y = 22 * math.cos(angle), 22 * math.sin(angle)
    cover = segment_cover(32 - x, 32 - y, 0.0, 32 + x, 32 + y, 0.0)
    assert cover.sum() == pytest.approx(44 * 3 + math.pi * 1.5**2, rel=0.03)


def test_a_line_is_where_it_should_be() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        x0, y0, x1, y1 = rng.uniform(-20, 84, 4)
        cover = segment_cover(x0, y0, 0.0, x1, y1, 0.0)
        rows, columns = np.mgrid[:64, :64] + 0.5
        along = (columns - x0) * (x1 - x0) + (rows - y0) * (y1 - y0)
        along = np.clip(along / ((x1 - x0) ** 2 + (y1 - y0) ** 2), 0, 1)
        distance = np.hypot(columns - x0 - along * (x1 - x0), rows - y0 - along * (y1 - y0))
        assert cover == pytest.approx(np.clip(2.0 - distance, 0, 1), abs=1e-5)


def test_lines_behind_grains_are_fainter_than_before_them() -> None:
    def change(y: float) -> int:
        line = [np.array([[-0.9, y, 0.0], [0.9, y, 0.0]])]
        shape = {"size": (100, 100), "view": FRONT, "frame": BOX}
        plain = draw([[0, 0, 0]], 0.5, [(0.9, 0.9, 0.9)], **shape).astype(int)
        lined = draw([[0, 0, 0]], 0.5, [(0.9, 0.9, 0.9)], line, **shape).astype(int)
        return int((plain - lined)[48:52, 50].sum())

    assert change(-0.8) > 3 * change(0.8) > 0


def test_a_grain_lost_far_away_does_not_matter_in_a_given_frame() -> None:
    points = [[0, 0, 0], [0.3, 0.1, 0.5]]
    shape = {"size": (60, 60), "view": FRONT, "frame": BOX}
    near = draw(points, 0.4, RED, **shape)
    lost = draw([*points, [1e9, 0, 0]], 0.4, RED, **shape)
    assert np.array_equal(near, lost)


def test_tiny_grains_still_show() -> None:
    rng = np.random.default_rng(3)
    image = draw(rng.random((50, 3)), 1e-5, RED, size=(60, 60))
    assert shown(image).sum() >= 30


def test_nothing_and_a_single_point_can_be_drawn() -> None:
    assert backdrop((20, 10)).shape == (10, 20, 3)
    draw(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), [np.zeros((2, 3))], size=(8, 8))


@pytest.mark.parametrize(("points", "radii", "paint"), [
    ([[0, 0]], [1], [RED]),
    ([[0, 0, math.nan]], [1], [RED]),
    ([[0, 0, 0]], [0], [RED]),
    ([[0, 0, 0]], [1], [(2, 0, 0)]),
    ([[0, 0, 0]], [1], [(-0.1, 0, 0)]),
])
def test_what_cannot_be_drawn_is_refused(points, radii, paint) -> None:
    with pytest.raises(InputError):
        draw(points, radii, paint, size=(8, 8))


def test_arrays_of_other_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="radii"):
        draw(np.zeros((3, 3)), np.ones(2), RED)
    with pytest.raises(InputError, match="colours"):
        draw(np.zeros((3, 3)), 1.0, np.zeros((2, 3)))


def test_panel_keeps_the_pictures_and_writes_below() -> None:
    images = [draw([[0, 0, 0]], 1.0, [RED], size=(120, 90)), backdrop((60, 70))]
    sheet = panel(images, ["t = 0.5 s", ""])
    gap = max(2, 90 // 60)
    assert np.array_equal(sheet[gap:gap + 90, gap:gap + 120], images[0])
    assert np.array_equal(sheet[gap + 10:gap + 80, 2 * gap + 120:2 * gap + 180], images[1])
    below = sheet[gap + 90:].min(axis=2)
    assert (below[:, :gap + 120] < 128).any()
    assert (below[:, 2 * gap + 120:] == 255).all()
    with pytest.raises(InputError):
        panel(images, ["one"])


def test_every_letter_is_different_and_stays_in_its_line() -> None:
    seen = set()
    for letter in [*lettering.GLYPHS, "€"]:
        page = np.full((60, 60, 3), 255, np.uint8)
        lettering.write_text(page, letter, (30, 30), 28, (0, 0, 0))
        ink = page[..., 0] < 128
        assert ink.any()
        assert not ink[:3].any()
        assert not ink[-3:].any()
        seen.add(page.tobytes())
    assert len(seen) == len(lettering.GLYPHS) + 1


def test_text_is_centred_and_as_high_as_asked() -> None:
    page = np.full((100, 400, 3), 255, np.uint8)
    lettering.write_text(page, "HOH", (200, 50), 42, (0, 0, 0))
    rows, columns = np.nonzero(page[..., 0] < 128)
    pen = lettering.PEN * 6
    assert rows.max() - rows.min() == pytest.approx(42 + pen, abs=2)
    assert rows.mean() == pytest.approx(49.5, abs=1)
    assert columns.mean() == pytest.approx(199.5, abs=1)


def test_png_is_read_back_by_others(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    noise = rng.integers(0, 256, (37, 53, 3), dtype=np.uint8)
    for image in (noise, noise[:1, :1], draw([[0, 0, 0]], 1.0, [RED], size=(64, 48))):
        write_png(tmp_path / "a.png", image)
        read = matplotlib.image.imread(io.BytesIO((tmp_path / "a.png").read_bytes()))
        assert np.array_equal(np.round(read * 255).astype(np.uint8), image)
    for wrong in (noise[..., :2], noise[..., 0], noise.astype(float), noise[:0]):
        with pytest.raises(InputError):
            write_png(tmp_path / "a.png", wrong)


def oklab(table: np.ndarray) -> np.ndarray:
    cone = np.cbrt(decode(table) @ np.linalg.inv(colours.CONE_TO_RGB).T)
    return cone @ np.linalg.inv(colours.LAB_TO_CONE).T


def test_the_map_is_even_and_rises_in_lightness() -> None:
    lab = oklab(colours.TABLE)
    steps = np.linalg.norm(np.diff(lab, axis=0), axis=1)
    assert steps.max() < 1.02 * steps.min()  # also fails if a colour had been clipped
    assert (np.diff(lab[:, 0]) > 0).all()


@given(values=st.lists(st.floats(), max_size=6), limits=st.tuples(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False)).map(sorted))
@settings(deadline=None)
def test_colours_are_in_range(values: list[float], limits: list[float]) -> None:
    paint = colour_by(values, *limits)
    assert paint.shape == (len(values), 3)
    assert ((paint >= 0) & (paint <= 1)).all()


def test_values_get_their_place_on_the_map() -> None:
    paint = colour_by([-1.0, 0.0, 2.0, 4.0, 9.0, math.nan], 0.0, 4.0)
    first, last = colours.TABLE[0], colours.TABLE[-1]
    middle = (colours.TABLE[127] + colours.TABLE[128]) / 2
    assert paint == pytest.approx(np.array([first, first, middle, last, last, colours.UNKNOWN]))
    assert colour_by([3.0], 3.0, 3.0)[0] == pytest.approx(middle)
    for low, high in ((1.0, 0.0), (math.nan, 1.0), (0.0, math.inf)):
        with pytest.raises(InputError):
            colour_by([0.0], low, high)


def test_srgb_and_bytes_agree() -> None:
    levels = np.linspace(0, 1, 256)
    assert decode(encode(levels)) == pytest.approx(levels, abs=1e-12)
    assert [shading.to_byte(light) for light in decode(levels)] == list(range(256))


# ---- captions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("times", "labels"), [
    ([0.0, 0.75, 1.45, 2.19], ["0.00 s", "0.75 s", "1.45 s", "2.19 s"]),
    ([0.0, 1e-3, 2e-3], ["0.00 ms", "1.00 ms", "2.00 ms"]),
    ([0.0, 4e-5], ["0.00 µs", "40.00 µs"]),
    ([0.0], ["0.00 s"]),
    ([], []),
    ([10.0, 10.001], ["10.000 s", "10.001 s"]),
    ([5.0, 5.0], ["5.00 s", "5.00 s"]),
])
def test_moments_can_be_told_apart(times, labels):
    """Expected: 0, 1 and 2 ms below the pictures of a short run. Seen: 0.00 s three times."""
    assert time_labels(times) == labels
