"""Pictures and films of a run: what is in them, and that the command in the file repeats them."""

from __future__ import annotations

import io
import shlex
import struct
import subprocess
import sys
import zlib

import imageio_ffmpeg
import matplotlib.image
import numpy as np
import pytest

import drawn_run
import swept_run
from granum.cli import main
from granum.errors import InputError, MissingExtraError, OutputError
from granum.output import FrameWriter
from granum.output.maps import category_colours
from granum.render import Drawing, Style, render_film, render_still
from granum.view import Record

SMALL = Style(size=(128, 96))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return drawn_run.make_run(tmp_path_factory.mktemp("runs") / "seven")


def texts_in(path):
    """The texts in a PNG file, by name; every checksum is looked at."""
    content, place, found = path.read_bytes(), 8, {}
    while place < len(content):
        length, kind = struct.unpack_from(">I4s", content, place)
        data = content[place + 8:place + 8 + length]
        assert struct.unpack_from(">I", content, place + 8 + length)[0] == zlib.crc32(kind + data)
        if kind == b"iTXt":
            name, rest = data.split(b"\0", 1)
            assert rest[:4] == bytes(4)
            found[name.decode()] = rest[4:].decode()
        place += 12 + length
    return found


def granum(*words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["granum", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
    return end.value.code


def test_the_command_in_a_picture_repeats_it(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = tmp_path / "a.png"
    assert granum("render", run, "--out", first, "--size", "128x96", "--view", "front", "--view",
                  "-30,40", "--colour", "radius", "--map", "ember", "--cut", "y=0.9", "--time",
                  "0.1") == 0
    told = texts_in(first)
    assert told["Title"] == "Seven balls"
    content = first.read_bytes()
    first.unlink()
    words = shlex.split(told["Comment"])
    assert words[:3] == ["granum", "render", str(run)]
    assert granum(*words[1:]) == 0
    assert first.read_bytes() == content
    image = matplotlib.image.imread(io.BytesIO(content))
    assert image.shape[:2] == (96, 128 * 2 + 4)


def test_what_is_chosen_changes_the_picture(run):
    record = Record(run)

    def seen(frame=0, **changed):
        return Drawing(record, Style(size=(128, 96), **changed)).image(frame)

    plain = seen()
    for other in (seen(frame=3), seen(views=("top",)), seen(colour="radius"), seen(cut="y"),
                  seen(map_name="ember"), seen(high=0.1), seen(walls=False), seen(legend=False),
                  seen(contacts=True)):
        assert (other != plain).any()
    assert np.array_equal(plain, seen(views=("corner",), colour="velocity"))
    both = seen(views=("corner", "top"), legend=False)
    assert np.array_equal(both[:, :128], seen(legend=False))


def test_swept_shapes_are_drawn_whole_and_cut_open(tmp_path):
    """A cube with thin edges has the colour of its grain all over, also where it is cut."""
    record = Record(swept_run.make_run(tmp_path / "run", swept_run.shapes_in_space()))
    images = [Drawing(record, Style(size=(256, 96), views=("front",), legend=False, cut=cut)
                      ).image(0).astype(int) for cut in ("", "y")]
    middle = images[0][40:56, 138:156]  # between the corners of the cube
    assert (middle.max(axis=2) - middle.min(axis=2) > 40).all()
    assert (images[1] != images[0]).any()
    middle = images[1][40:56, 138:156]
    assert (middle.max(axis=2) - middle.min(axis=2) > 40).all()


def test_categories_have_names(run):
    """The colour of each material stands in the strip; a narrow picture has room for fewer."""
    def seen(width):
        image = Drawing(Record(run), Style(size=(width, 240), colour="species", views=("front",))
                        ).image(0)
        return [(image[-16:] == shade).all(axis=2).sum() for shade in shades]

    shades = np.round(255 * category_colours([0.0, 1.0])).astype(np.uint8)
    assert min(seen(640)) >= 25
    assert seen(96)[0] == 0


def test_contacts_are_rods_in_two_colours(tmp_path):
    """A force between two grains is blue, one at a wall red and of less than half its section."""
    points = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    contacts = {"i": np.array([0, 1]), "j": np.array([1, -1]),
                "point": np.array([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]),
                "force": np.array([[-4.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])}
    FrameWriter(tmp_path).write(0, 0.0, points, {"radius": np.ones(2)}, contacts)
    image = Drawing(Record(tmp_path), Style(size=(256, 128), views=("front",), legend=False,
                                            colour="none", contacts=True)).image(0).astype(int)
    blue = image[..., 2] - image[..., 0] > 40
    red = image[..., 0] - image[..., 2] > 80
    assert blue[64, 70:120].all()
    assert red[64, 204:220].all()
    assert red.any(axis=1).sum() < 0.7 * blue.any(axis=1).sum()


def test_moments_stand_side_by_side(run, tmp_path):
    drawing = Drawing(Record(run), SMALL)
    path = render_still(drawing, tmp_path / "a.png", [0.0, 0.3])
    image = np.rint(255 * matplotlib.image.imread(path)[..., :3]).astype(np.uint8)
    assert np.array_equal(image[:, :128], drawing.image(0))
    assert np.array_equal(image[:, -128:], drawing.image(3))


def test_walls_that_move_stay_in_the_picture(run):
    """The box rises by 0.3 m: its upper edge is drawn in the last frame, too."""
    style = Style(views=("front",), size=(128, 96), legend=False)
    shown = Drawing(Record(run), style).image(3)
    without = Drawing(Record(run), Style(views=("front",), size=(128, 96), legend=False,
                                         walls=False)).image(3)
    rows = np.flatnonzero((shown != without).any(axis=(1, 2)))
    assert rows[0] > 0
    assert rows[-1] < 95


def test_a_film_has_all_frames_and_says_how_to_repeat_it(run, tmp_path):
    drawing, seen = Drawing(Record(run), SMALL), []
    path = tmp_path / "a.mp4"
    assert render_film(drawing, path, rate=5.0, report=lambda *told: seen.append(told)) == 4
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    read = subprocess.run([ffmpeg, "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                          capture_output=True, check=True)
    frames = np.frombuffer(read.stdout, np.uint8).reshape(4, 96, 128, 3)
    for k in (0, 3):  # as far as H.264 keeps it
        assert np.abs(frames[k].astype(float) - drawing.image(k)).mean() < 6.0
    said = read.stderr.decode()
    assert "h264" in said
    assert "5 fps" in said
    assert f"granum render {run} --rate=5 --every=1 --out=a.mp4" in said
    content = path.read_bytes()
    render_film(drawing, path, rate=5.0)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["a.mp4"]


def test_a_film_that_fails_leaves_nothing(run, tmp_path):
    def stop(done, of):
        raise KeyboardInterrupt

    drawing = Drawing(Record(run), SMALL)
    with pytest.raises(KeyboardInterrupt):
        render_film(drawing, tmp_path / "a.mp4", report=stop)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError, match=r"cannot write the film .*No such file"):
        render_film(drawing, tmp_path / "missing" / "a.mp4")


def test_a_missing_package_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'granum\[render\]'"):
        render_film(Drawing(Record(run), SMALL), tmp_path / "a.mp4")


@pytest.mark.parametrize(("changed", "message"), [
    ({"views": ("fron",)}, "did you mean 'front'"),
    ({"views": ("10,95",)}, "elevation must be at most 90"),
    ({"size": (101, 96)}, "must be even"),
    ({"cut": "w"}, "a cut is an axis"),
    ({"cut": "x=7"}, "does not meet the scene"),
    ({"map_name": "jet"}, "there is no colour map 'jet'"),
    ({"colour": "speeds"}, "did you mean 'speed'"),
    ({"low": 2.0, "high": 1.0}, "the lower one first"),
])
def test_what_cannot_be_drawn_is_refused(run, changed, message):
    with pytest.raises(InputError, match=message):
        Drawing(Record(run), Style(**{"size": (128, 96), **changed})).image(0)


def test_other_files_are_refused(run, tmp_path):
    drawing = Drawing(Record(run), SMALL)
    with pytest.raises(InputError, match=r"a picture ends in \.png and a film in \.mp4"):
        render_still(drawing, tmp_path / "a.jpg")
    with pytest.raises(InputError, match=r"a film ends in \.mp4"):
        render_film(drawing, tmp_path / "a.gif")
