"""The gallery of the studies, made from what they say and from the pictures of their pages.

    python docs/gallery.py

renews ``docs/gallery.md``; a test sees to it that it is up to date.
"""

from __future__ import annotations

import re
from pathlib import Path

from granum.studies import STUDIES, Study

DOCS = Path(__file__).parent
PAGE = DOCS / "gallery.md"
HEAD = """# Gallery

All studies: published experiments that come with granum. Each is one command, and its page tells
how it was set up and how the results compare. `granum report --all` makes a page like this one of
the runs on your own machine.
"""
QUICK = "-quick.png"  # pictures of the small size; those of the published one come first
PICTURE = re.compile(r"!\[([^\]]*)\]\(\.\./(images/[\w.-]+)\)")


def gallery() -> str:
    """Return the page."""
    return HEAD + "".join(_entry(study) for study in STUDIES.values())


def _entry(study: Study) -> str:
    page = f"studies/{study.name}.md"
    parts = [f"## [{study.title}]({page})", f"It must show: {study.shows}. *{study.source}.*"]
    found = sorted(PICTURE.findall((DOCS / page).read_text(encoding="utf-8")),
                   key=lambda picture: picture[1].endswith(QUICK))
    for alt, file in found[:1]:
        parts.append(f"![{' '.join(alt.split())}]({file})")
        parts += ["*The quick size, seconds instead of minutes or hours.*"] * file.endswith(QUICK)
    parts.append(f"```console\n$ granum run {study.name}\n```")
    return "\n" + "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(gallery(), encoding="utf-8")
