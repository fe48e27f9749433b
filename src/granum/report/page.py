"""A report as one HTML file that needs nothing else: pictures are inside, nothing is fetched."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path

from granum.report.facts import Report
from granum.report.sheet import Rows, about_rows, also_rows, figure_rows

STYLE = """
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #2b333d; background: #fff;
       font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid #e6e9ed;
         vertical-align: top; }
pre { background: #f4f6f8; padding: .7rem 1rem; overflow-x: auto; border-radius: 4px; }
.caution { border-left: 4px solid #e08214; padding: .2rem 0 .2rem .8rem; }
@media (max-width: 44rem) { table { display: block; overflow-x: auto; } }
img { max-width: 100%; height: auto; display: block; margin: 1rem 0; }
"""


def to_html(report: Report) -> str:
    """Return the report as a whole HTML document."""
    title = escape(report.title)
    parts = [f"<h1>{title}</h1>", _table(about_rows(report), is_headed=False),
             f"<p>To repeat it:</p><pre>{escape(report.command)}</pre>"]
    if report.figures:
        heading = "Published and measured" if report.origin else "Measured"
        parts += [f"<h2>{heading}</h2>", _table(figure_rows(report))]
    if report.caution:
        parts.append(f'<p class="caution">{escape(report.caution)}</p>')
    if report.also:
        parts.append(_table(also_rows(report)))
    parts += [_picture(path) for path in report.pictures]
    body = "\n".join(parts)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n"
            f"</html>\n")


def _table(rows: Rows, is_headed: bool = True) -> str:
    lines = []
    for number, row in enumerate(rows):
        kind = "th" if is_headed and number == 0 else "td"
        cells = "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _picture(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    name = escape(path.stem, quote=True)
    return f'<img alt="{name}" src="data:image/png;base64,{data}">'
