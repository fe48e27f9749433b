"""Reading a scenario file; what cannot be read is refused with the place and the likely remedy."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from granum.errors import InputError
from granum.scenario.lines import line_index
from granum.scenario.problems import Document, Problem, ScenarioError
from granum.scenario.wording import nearest, printable

_MOST_NAMES = 8
_WIDEST = 100
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_PAIR = re.compile(r"""\s*([^=#"']+?)\s*=\s*([^#"'\[{]*?)\s*(?:#.*)?$""")
_NUMBER_AND_UNIT = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*[A-Za-zµμ°/][\w/^°µμ]*")
_CURLY_QUOTES = "“”„‘’«»"


def read_toml(source: str | Path) -> Document:
    """Read a scenario.

    Args:
        source: the path of a file; a ``str`` of more than one line is the TOML text itself.

    Raises:
        InputError: the file cannot be read; a ``ScenarioError`` if it is not TOML.
    """
    if isinstance(source, str) and "\n" in source:
        return parse_toml(source)
    path = Path(source)
    return parse_toml(_decoded(_content(path), str(path)), str(path))


def parse_toml(text: str, name: str = "scenario") -> Document:
    """Return the document with this ``text``; ``name`` stands for it in messages."""
    try:
        return Document(tomllib.loads(text), text, name)
    except RecursionError as error:
        message = f"{name}: brackets are nested too deeply to be read"
        raise InputError(message) from error
    except ValueError as error:  # not only TOMLDecodeError: a number of 5000 digits is one, too
        raise ScenarioError([_syntax_problem(text, str(error))], name=name) from error


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"{path}: {_why_not(path, error)}"
        raise InputError(message) from error
    except ValueError as error:  # a null character in the name
        message = f"{printable(str(path))}: is not a possible file name"
        raise InputError(message) from error


def _why_not(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"no such file{_instead_of(path)}"
    if not isinstance(error, PermissionError | IsADirectoryError) or not path.is_dir():
        return f"cannot be read: {error.strerror or error}"
    return f"is a folder; name a scenario file{_files_in(path)}"


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if path.suffix == ".toml")
    except OSError:
        return []


def _files_in(folder: Path) -> str:
    names = _names(folder)
    if not names:
        return " (there is no .toml file in that folder)"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f" (.toml files there: {', '.join(names[:_MOST_NAMES])}{more})"


def _instead_of(path: Path) -> str:
    if not path.parent.is_dir():
        return f", nor a folder '{path.parent}'"
    near = nearest(path.stem, [Path(name).stem for name in _names(path.parent)])
    hint = f"; did you mean '{path.parent / near}.toml'?" if near else ""
    return hint + _files_in(path.parent)


def _decoded(content: bytes, name: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        message = f"{name}: is UTF-16 text; save it as UTF-8"
        raise InputError(message)
    try:
        return content.decode("utf-8-sig")  # some editors on Windows put a mark first
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        message = (f"{name}: is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}; "
                   "save it as UTF-8")
        raise InputError(message) from error


def _syntax_problem(text: str, complaint: str) -> Problem:
    """Return the problem of a text that is no TOML: the reason, the line, a pointer, a hint."""
    place = _PLACE.search(complaint)
    reason = complaint[: place.start()] if place else complaint.split(";", maxsplit=1)[0]
    reason = printable(reason[:1].lower() + reason[1:])
    if reason.startswith("cannot"):  # a key as Python shows it: ('a', 'b')
        reason = re.sub(r"\('(.*)',?\)", lambda key: key[1].replace("', '", "."), reason)
    if place is None:
        return Problem((), f"not valid TOML: {reason}")
    all_lines = text.replace("\r\n", "\n").split("\n")
    if place[1]:
        line, column = int(place[1]), int(place[2])
    else:
        line = len(text.rstrip().split("\n"))
        column = len(all_lines[line - 1]) + 1
    shown = all_lines[line - 1].expandtabs(1)
    message = [f"not valid TOML: {reason}", "  " + printable(shown[:_WIDEST])]
    if column <= min(len(shown) + 1, _WIDEST) and shown.isprintable():
        message.append(" " * (column + 1) + "^")
    hint = _hint(text, shown, column, reason)
    return Problem((), "\n".join([*message, "  " + hint] if hint else message), line)


def _hint(text: str, line: str, column: int, reason: str) -> str:
    """Return the remedy for the mistakes that people make in a first scenario."""
    if any(quote in line for quote in _CURLY_QUOTES):
        return "quotes must be straight: \"4 mm\""
    if "overwrite a value" in reason or "twice" in reason:
        return "this name is already given above; each key and each [table] may stand only once"
    if "unterminated" in reason:
        return f"the text of the key in line {_last_key_line(text)} has no closing quotes"
    if "illegal character '\\n'" in reason or reason == "expected \"'\"":
        return "the quotes are not closed in this line"
    if "hex value" in reason or "unescaped '\\'" in reason:
        return "a backslash needs single quotes around the text: 'C:\\folder'"
    for match in _NUMBER_AND_UNIT.finditer(line):
        if match.start() < column <= match.end():
            return f'a number with a unit needs quotes: "{match[0]}"'
    if "expected '='" in reason:
        return "a line is: key = value"
    pair = _PAIR.match(line)
    if pair is None:
        return ""
    if column <= pair.end(1):  # a value was expected where the next key stands
        return f"the list of the key in line {_last_key_line(text)} may not be closed"
    return _hint_for_value(pair[1], pair[2])


def _hint_for_value(key: str, value: str) -> str:
    if not value:
        return f"the value is missing: {key} = ..."
    if re.fullmatch(r"[-+]?[0-9]+,[0-9]+", value):
        return f"the decimal point is '.': {key} = {value.replace(',', '.')}"
    if value in ("True", "False"):
        return f"true and false have no capital: {key} = {value.lower()}"
    if value in ("None", "null", "nil"):
        return f"TOML has no {value}: leave the key out"
    if re.fullmatch(r"[A-Za-z_][\w /-]*", value):
        return f'text needs quotes: {key} = "{value}"'
    return ""


def _last_key_line(text: str) -> int:
    """Return the line of the last key before the place where ``text`` stops being TOML."""
    lines = line_index(text)
    keys = [path for path in lines if isinstance(path[-1], str)]
    return lines[keys[-1]] if keys else 1
