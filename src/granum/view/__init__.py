"""A run as a web page: a small server for this machine, or one file that holds everything.

In comes a run folder, which is only read; out go a page and blocks of numbers for it.

* ``guard``: which files of the folder are read, and how much of them.
* ``record``: the run as the page sees it: times, frames, series, walls, one grain.
* ``quantities``: what grains can be coloured by.
* ``network``: contacts as rods; ``touching``: who touches whom, for frames without contacts.
* ``cell``: the power cell of one grain; ``triangulated``: the edges of the triangulation.
* ``surfaces``: walls as triangles and lines. ``enclosure``: the walls of a run, and their poses.
* ``block``: arrays as bytes that a browser takes as they are.
* ``server`` hands them out; ``export`` puts them into one file; ``page/`` is the page itself,
  ``bundle`` its files as one.

A new quantity that frames hold appears by itself; its name and unit go into ``quantities``.
"""

from granum.view.export import export_page, exported
from granum.view.record import Record
from granum.view.server import make_server

__all__ = ["Record", "export_page", "exported", "make_server"]
