"""Frames into an MP4 film, by the program ffmpeg (the extra ``render``).

ffmpeg comes with the package imageio-ffmpeg and runs as a process of its own; one that is installed
is used if ``IMAGEIO_FFMPEG_EXE`` names it. The film is H.264 with 4:2:0 colours, which every
browser and every slide program plays. No date goes into the file.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from granum import checks
from granum.errors import InputError, MissingExtraError, OutputError
from granum.output.atomic import PART_SUFFIX
from granum.output.picture import Image
from granum.render.drawing import Drawing

QUALITY = 21  # constant rate factor of x264: 18 looks perfect, 28 poor
THREADS = 2  # of ffmpeg; the same everywhere, since x264 writes other bits on another number


def render_film(drawing: Drawing, path: Path, rate: float = 25.0, every: int = 1,
                report: Callable[[int, int], None] = lambda done, of: None) -> int:
    """Write a film of the frames of a run.

    Args:
        drawing: the run and its style.
        path: the file, ``.mp4``.
        rate: pictures a second.
        every: only every so many frames of the run.
        report: called after each picture with how many are done, and of how many.

    Returns:
        How many pictures it has.

    Raises:
        MissingExtraError: imageio-ffmpeg is not installed.
        OutputError: ffmpeg failed, with what it said.
    """
    if path.suffix != ".mp4":
        message = f"a film ends in .mp4, got {path.name}"
        raise InputError(message)
    checks.number("rate", rate, at_least=1.0, at_most=240.0)
    checks.whole("every", every, at_least=1)
    numbers = range(0, len(drawing.times), every)
    first = drawing.image(numbers[0])
    texts = drawing.texts(f"--rate={rate:g}", f"--every={every}", f"--out={path.name}")
    with _film(path, first, rate, texts) as add:
        for done, number in enumerate(numbers, start=1):
            add(first if done == 1 else drawing.image(number))
            report(done, len(numbers))
    return len(numbers)


@contextmanager
def _film(path: Path, first: Image, rate: float, texts: dict[str, str]
          ) -> Iterator[Callable[[Image], object]]:
    """Give a function that adds a picture; the film is put in place when all went well."""
    part = path.with_name(path.name + PART_SUFFIX)
    words = [_ffmpeg(), *_reading(first, rate), *_writing(texts), str(part)]
    try:
        with (tempfile.TemporaryFile() as said,
              subprocess.Popen(words, stdin=subprocess.PIPE, stdout=said, stderr=said) as process):
            pipe = process.stdin
            assert pipe is not None  # since it was asked for
            try:
                yield lambda image: pipe.write(image.data)
                pipe.close()
                failed = process.wait() != 0
            except BrokenPipeError:
                failed = True
            except BaseException:
                process.kill()
                raise
            if failed:
                process.kill()
                said.seek(0)
                message = f"cannot write the film {path}: {said.read().decode().strip()}"
                raise OutputError(message)
        part.replace(path)
    finally:
        with suppress(OSError):  # it is no longer there if all went well
            part.unlink()


def _ffmpeg() -> str:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        package = "imageio-ffmpeg"
        raise MissingExtraError(package, "render") from error
    try:
        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as error:
        message = f"there is no ffmpeg for this machine: {error}"
        raise OutputError(message) from error


def _reading(first: Image, rate: float) -> list[str]:
    """Return how ffmpeg is told what comes in: raw pictures of one size, one after the other."""
    height, width = first.shape[:2]
    return ["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
            f"{width}x{height}", "-r", f"{rate:g}", "-i", "-"]


def _writing(texts: dict[str, str]) -> list[str]:
    """Return how ffmpeg is told what goes out."""
    told = [word for name, text in (("title", texts["Title"]), ("comment", texts["Comment"]))
            for word in ("-metadata", f"{name}={text}")]
    return ["-an", "-c:v", "libx264", "-crf", str(QUALITY), "-preset", "slow", "-threads",
            str(THREADS), "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-fflags", "+bitexact",
            *told, "-f", "mp4"]
