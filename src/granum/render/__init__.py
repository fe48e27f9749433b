"""Pictures and films of a run, drawn without a screen and without a graphics card.

In comes a run folder (`granum.view.Record`) and a `Style`; out go PNG pictures, for which nothing
but granum is needed, and MP4 films (the extra ``render``). The same folder and the same style give
the same picture, to the last pixel; the command that repeats it stands in the file.

* ``style``: what is shown, from where and how, and as the words of a command.
* ``drawing``: one frame as a picture, by the renderer of `granum.output`.
* ``legend``: the time and the scale of colours.
* ``film``: frames into a film, by ffmpeg.
"""

from granum.render.drawing import Drawing, render_still
from granum.render.film import render_film
from granum.render.style import Style

__all__ = ["Drawing", "Style", "render_film", "render_still"]
