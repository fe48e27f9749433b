"""Kinetic energy of a silo that settles, is shaken, comes to rest and is opened.

    python docs/stage_picture.py

runs the scenario of the page ``stages.md`` and puts the plot that granum makes of it into
``docs/images/stages.png``; it prints why each stage ended. It needs the extra ``plot``.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from granum.portrait import plot_stages
from granum.run import Run
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml

PAGE = Path(__file__).parent / "stages.md"
PICTURE = Path(__file__).parent / "images" / "stages.png"


def main() -> None:
    """Run the first scenario of the page and draw it."""
    found = re.search(r"^```toml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    scenario = understand(parse_toml(found[1], "silo.toml"))
    with TemporaryDirectory() as folder:
        summary = Run(scenario.simulation(1), scenario.plan, Path(folder)).go()
        shutil.copyfile(plot_stages(Path(folder), summary["stages"]), PICTURE)
    for row in summary["stages"]:
        print(f"| `{row['name']}` | `{row['why']}` |")


if __name__ == "__main__":
    main()
