"""Lines of keys: against TOML written in every style by a renderer that notes where it stands."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum.scenario.lines import line_index, locate

EXAMPLE = '''\
title = "hourglass"            # line 1
law.friction = 0.3
law."contact time" = """
1 ms"""
points = [
  [0, 0],  # line 6
  [
    1, ']', # [
    2],
]

[run]
duration = "2 s"

[[walls]]
type = 'plane'

[[walls]]
radius = 3
motion = { type = "sine", amplitude = [1, 2] }

[walls.cover.hole]
radius = 1

[[walls.cover.bolts]]
[[walls.cover.bolts]]
size = 1
[walls . 'a.b']
'''


@pytest.mark.parametrize(("path", "line"), [
    (("title",), 1),
    (("law",), 2),
    (("law", "friction"), 2),
    (("law", "contact time"), 3),
    (("law", "missing"), 2),
    (("points",), 5),
    (("points", 0), 6),
    (("points", 1), 7),
    (("points", 1, 0), 8),
    (("points", 1, 2), 9),
    (("points", 7), 5),
    (("run",), 12),
    (("run", "duration"), 13),
    (("walls",), 15),
    (("walls", 0), 15),
    (("walls", 0, "type"), 16),
    (("walls", 0, "radius"), 15),
    (("walls", 1), 18),
    (("walls", 1, "motion", "amplitude", 1), 20),
    (("walls", 1, "cover"), 22),
    (("walls", 1, "cover", "hole", "radius"), 23),
    (("walls", 1, "cover", "bolts", 0), 25),
    (("walls", 1, "cover", "bolts", 1, "size"), 27),
    (("walls", 1, "a.b"), 28),
    (("walls", 2), 15),
    (("nowhere", "at all"), None),
    ((), None),
])
def test_example(path, line):
    assert locate(EXAMPLE, path) == line
    assert locate(EXAMPLE.replace("\n", "\r\n"), path) == line


def test_header_of_a_table_counts_more_than_that_of_its_child():
    assert locate("[a.b]\nx = 1\n\n[a]\ny = 2\n", ("a",)) == 4


def test_text_that_is_not_toml_is_read_up_to_there():
    assert line_index('a = 1\nb = [2,\n3\nc = "') == {("a",): 1, ("b",): 2, ("b", 0): 2,
                                                      ("b", 1): 3}
    deep = "a = " + "[" * 5000 + "]" * 5000
    assert line_index(deep)[("a",)] == 1


def paths_of(value, path=()):
    """Return the path of every key and entry of parsed data."""
    items = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    result = set()
    for key, item in items:
        result |= {(*path, key)} | paths_of(item, (*path, key))
    return result


LETTERS = st.text(st.sampled_from("ab\"'\\\n#[]{}=,.é"), max_size=6)
KEYS = st.one_of(st.sampled_from(["a", "b", "c-d", "e_1", "0"]), LETTERS)
LEAVES = st.one_of(st.integers(-9, 9), st.booleans(), LETTERS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=3),
        st.lists(st.dictionaries(KEYS, inner, max_size=3), min_size=1, max_size=3),
    ),
    max_leaves=8,
)


class Renderer:
    """Writes data as TOML, with all choices of style drawn, and notes the line of every path."""

    def __init__(self, draw):
        self.draw = draw
        self.text = ""
        self.expected = {}
        self.inside_value = 0

    def choose(self, *options):
        return self.draw(st.sampled_from(options))

    def note(self, path):
        self.expected.setdefault(path, self.text.count("\n") + 1)

    def blank(self):
        self.text += self.choose("", "", "\n", "  # a = [1]\n", "\t")

    def end_line(self):
        self.text += self.choose("", " ", " # b = '''") + "\n" + self.choose("", "", "\n \n")

    def string(self, text):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        options = ['"' + escaped.replace("\n", "\\n") + '"', '"""\n' + escaped + '"""']
        if '"""' not in text:
            options.append('"""\n' + text.replace("\\", "\\\\") + '"""')
        if "'''" not in text:
            options.append("'''\n" + text + "'''")
        if "'" not in text and "\n" not in text:
            options.append("'" + text + "'")
        return self.choose(*options)

    def key(self, key):
        if key and all(letter in "abcde_10-" for letter in key) and self.choose(True, False):
            return key
        if "'" not in key and "\n" not in key and self.choose(True, False):
            return f"'{key}'"
        escaped = key.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'

    def dotted(self, keys):
        return self.choose(".", " . ").join(self.key(key) for key in keys)

    def value(self, value, path):
        if isinstance(value, bool):
            self.text += str(value).lower()
        elif isinstance(value, int):
            self.text += str(value)
        elif isinstance(value, str):
            self.text += self.string(value)
        elif isinstance(value, list):
            self.list(value, path)
        else:
            self.inline(value, path)

    def list(self, value, path):
        self.text += "["
        for index, item in enumerate(value):
            self.blank()
            self.note((*path, index))
            self.value(item, (*path, index))
            self.blank()
            if index < len(value) - 1 or self.choose(True, False):
                self.text += ","
        self.blank()
        self.text += "]"

    def inline(self, value, path):
        self.text += "{"
        for index, (key, item) in enumerate(value.items()):
            self.text += ", " if index else " "
            self.pair([key], item, path)
        self.text += "}"

    def pair(self, keys, value, path):
        """Write ``key = value``; a table may go on as a dotted key instead."""
        if isinstance(value, dict) and value and self.choose(True, False):
            for index, (key, item) in enumerate(value.items()):
                if index:
                    self.text += ", " if self.inside_value else "\n"
                self.pair([*keys, key], item, path)
            return
        for size in range(1, len(keys) + 1):
            self.note((*path, *keys[:size]))
        self.text += self.dotted(keys) + self.choose("=", " = ", "\t=  ")
        self.inside_value += 1
        self.value(value, (*path, *keys))
        self.inside_value -= 1

    def table(self, table, path, names, *, has_header):
        """Write a table at ``path``, whose header is ``names``."""
        plain, headed = [], []
        for key, value in table.items():
            tables = isinstance(value, list) and value and all(
                isinstance(item, dict) for item in value)
            wants_header = (isinstance(value, dict) or tables) and self.choose(True, True, False)
            (headed if wants_header else plain).append((key, value))
        late = has_header and bool(headed) and self.choose(True, False)
        implied = has_header and bool(headed) and not plain and self.choose(True, False)
        if not late and not implied:
            self.body(plain, path, names, has_header)
        for key, value in headed:
            if isinstance(value, dict):
                self.table(value, (*path, key), [*names, key], has_header=True)
                continue
            for index, item in enumerate(value):
                self.header("[[", [*names, key], "]]", (*path, key, index))
                self.table(item, (*path, key, index), [*names, key], has_header=False)
        if late and not implied:
            self.body(plain, path, names, has_header)

    def header(self, opening, names, closing, path):
        for size in range(1, len(path)):
            self.note(path[:size])
        self.expected.pop(path, None)
        self.note(path)
        self.text += opening + self.choose("", " ") + self.dotted(names) + closing
        self.end_line()

    def body(self, pairs, path, names, has_header):
        if has_header:
            self.header("[", names, "]", path)
        for key, value in pairs:
            self.pair([key], value, path)
            self.end_line()


@settings(max_examples=100, deadline=None)
@given(st.data(), st.dictionaries(KEYS, VALUES, max_size=4))
def test_every_line_in_every_style(data, tables):
    renderer = Renderer(data.draw)
    renderer.blank()
    renderer.text += "\n"
    renderer.table(tables, (), [], has_header=False)
    assert tomllib.loads(renderer.text) == tables
    assert line_index(renderer.text) == renderer.expected
    assert set(renderer.expected) == paths_of(tables)


PIECES = st.lists(st.sampled_from([
    "a", "b", "=", "1", '"', "'", '"""', "'''", "\n", "\n", "[", "]", "[[a]]\n", "[a.b]\n", "{",
    "}", ",", ".", "#", "\\", " ", "a = 1\n", "b = [1, 2]\n", "c = {d = 1}\n", "\r\n", "é"]))


@settings(max_examples=200, deadline=None)
@given(PIECES.map("".join))
def test_any_text_is_survived_and_valid_text_is_complete(text):
    lines = line_index(text)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(lines) == paths_of(data)
