"""The files of the page, and all of them as one.

Scripts are modules that import each other by ``import { names } from "./file.js";`` and export
functions, classes and constants where they are made. So, in the order in which they need each
other, they can stand in one script as they are, without these words; no two may give the same name
to a thing of their own (a test sees to it).
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
START = "main.js"
STYLE = '<link rel="stylesheet" href="style.css">'
SCRIPT = f'<script type="module" src="{START}"></script>'


def page_files() -> dict[str, bytes]:
    """Return the files of the page by name."""
    folder = files("granum.view").joinpath("page")
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()
            if entry.name.endswith((".html", ".css", ".js"))}


def script_order(scripts: dict[str, str]) -> list[str]:
    """Return the names of all scripts that ``main.js`` needs, those first that others need."""
    order: list[str] = []

    def visit(name: str) -> None:
        for needed in IMPORT.findall(scripts[name]):
            if needed not in order:
                visit(needed)
        if name not in order:
            order.append(name)

    visit(START)
    return order


def joined_script(scripts: dict[str, str]) -> str:
    """Return all scripts as one."""
    parts = [EXPORT.sub("", IMPORT.sub("", scripts[name])) for name in script_order(scripts)]
    return "\n".join(parts)


def whole_page(data: str) -> str:
    """Return the page as one text, with ``data`` in it: elements that its script reads.

    Its policy allows the one style and the one script that are in it, by their digests, and nothing
    from any network.
    """
    texts = {name: content.decode() for name, content in page_files().items()}
    style = texts["style.css"]
    script = joined_script({k: v for k, v in texts.items() if k.endswith(".js")})
    policy = (f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
              "img-src blob:; base-uri 'none'; form-action 'none'")
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return (texts["index.html"]
            .replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{head}', 1)
            .replace(STYLE, f"<style>{style}</style>", 1)
            .replace(SCRIPT, f'{data}\n<script type="module">{script}</script>', 1))


def _digest(text: str) -> str:
    """Return how a policy names a text that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
