"""Reading files and ``--set``: every refusal in full."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenario_samples import outcome

from granum.errors import InputError
from granum.scenario.overrides import apply_overrides, override
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import parse_toml, read_toml


def refusal(function, *args):
    with pytest.raises(InputError) as caught:
        function(*args)
    return str(caught.value)


def test_a_file_is_read_with_its_name_and_text(tmp_path):
    path = tmp_path / "bottle.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "\xc3\xa9"\r\n')  # as Notepad writes it
    for source in (path, str(path)):
        document = read_toml(source)
        assert document.data == {"name": "é"}
        assert document.text == 'name = "é"\r\n'
        assert document.name == str(path)


def test_text_is_read_too():
    document = read_toml("[law]\nfriction = 0.3\n")
    assert document.data == {"law": {"friction": 0.3}}
    assert document.name == "scenario"


def test_missing_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(read_toml, "bottle.toml") == (
        "bottle.toml: no such file (there is no .toml file in that folder)")
    assert refusal(read_toml, "runs/bottle.toml") == (
        "runs/bottle.toml: no such file, nor a folder 'runs'")
    for name in ("bottle.toml", "drum.toml", "notes.txt"):
        (tmp_path / name).touch()
    assert refusal(read_toml, "bottel.toml") == (
        "bottel.toml: no such file; did you mean 'bottle.toml'? "
        "(.toml files there: bottle.toml, drum.toml)")
    assert refusal(read_toml, "drum") == (
        "drum: no such file; did you mean 'drum.toml'? (.toml files there: bottle.toml, drum.toml)")
    for index in range(10):
        (tmp_path / f"s{index}.toml").touch()
    assert refusal(read_toml, "x") == (
        "x: no such file (.toml files there: bottle.toml, drum.toml, s0.toml, s1.toml, s2.toml, "
        "s3.toml, s4.toml, s5.toml and 4 more)")


def test_what_is_no_readable_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "drum.toml").touch()
    (tmp_path / "latin.toml").write_bytes(b"a = 1\nname = '\xe9'\n")
    (tmp_path / "wide.toml").write_bytes("a = 1\n".encode("utf-16"))
    assert refusal(read_toml, "folder") == (
        "folder: is a folder; name a scenario file (.toml files there: drum.toml)")
    assert refusal(read_toml, "latin.toml") == (
        "latin.toml: is not UTF-8 text: byte 0xe9 in line 2; save it as UTF-8")
    assert refusal(read_toml, "wide.toml") == "wide.toml: is UTF-16 text; save it as UTF-8"
    assert refusal(read_toml, "a\0b") == "a\\x00b: is not a possible file name"
    assert refusal(read_toml, "latin.toml/x") == "latin.toml/x: cannot be read: Not a directory"


@pytest.mark.parametrize(("text", "message"), [
    ("[law]\nradius = 4 mm # wide\n[run]\n", '''\
line 2: not valid TOML: expected newline or end of document after a statement
    radius = 4 mm # wide
               ^
    a number with a unit needs quotes: "4 mm"'''),
    ("[law]\r\n\tbase = [0, 4 g/cm^3, 0]\r\n", '''\
line 2: not valid TOML: unclosed array
     base = [0, 4 g/cm^3, 0]
                  ^
    a number with a unit needs quotes: "4 g/cm^3"'''),
    ("a = 1\nb = 2\na = 2\n", '''\
line 3: not valid TOML: cannot overwrite a value
    a = 2
         ^
    this name is already given above; each key and each [table] may stand only once'''),
    ("[a]\n[a.b]\n[a.b]\n", '''\
line 3: not valid TOML: cannot declare a.b twice
    [a.b]
        ^
    this name is already given above; each key and each [table] may stand only once'''),
    ("on = True\n", '''\
line 1: not valid TOML: invalid value
    on = True
         ^
    true and false have no capital: on = true'''),
    ("a = None\n", '''\
line 1: not valid TOML: invalid value
    a = None
        ^
    TOML has no None: leave the key out'''),
    ("shape = sphere\n", '''\
line 1: not valid TOML: invalid value
    shape = sphere
            ^
    text needs quotes: shape = "sphere"'''),
    ("friction = 0,3\n", '''\
line 1: not valid TOML: expected newline or end of document after a statement
    friction = 0,3
                ^
    the decimal point is '.': friction = 0.3'''),
    ("a =\nb = 1\n", '''\
line 1: not valid TOML: invalid value
    a =
       ^
    the value is missing: a = ...'''),
    ("a = [1,\nb = 2\n", '''\
line 2: not valid TOML: invalid value
    b = 2
    ^
    the list of the key in line 1 may not be closed'''),
    ("radius: 3\n", '''\
line 1: not valid TOML: expected '=' after a key in a key/value pair
    radius: 3
          ^
    a line is: key = value'''),
    ('x = 1\na = "b\nc = 1\n', '''\
line 2: not valid TOML: illegal character '\\n'
    a = "b
          ^
    the quotes are not closed in this line'''),
    ("a = 'b", '''\
line 1: not valid TOML: expected "'"
    a = 'b
          ^
    the quotes are not closed in this line'''),
    ('x = 1\na = """b\nc\n\n', '''\
line 3: not valid TOML: unterminated string
    c
     ^
    the text of the key in line 2 has no closing quotes'''),
    ('a = "C:\\data"\n', '''\
line 1: not valid TOML: unescaped '\\' in a string
    a = "C:\\data"
             ^
    a backslash needs single quotes around the text: 'C:\\folder\''''),
    ("a = “4 mm”\n", '''\
line 1: not valid TOML: invalid value
    a = “4 mm”
        ^
    quotes must be straight: "4 mm"'''),
    ("a = 1 # \x1b\n", '''\
line 1: not valid TOML: found invalid character '\\x1b'
    a = 1 # \\x1b'''),
    ("[a\n", '''\
line 1: not valid TOML: expected ']' at the end of a table declaration
    [a
      ^'''),
    ("a = " + "9" * 5000, "not valid TOML: exceeds the limit (4300 digits) for integer string "
                          "conversion: value has 5000 digits"),
])
def test_text_that_is_not_toml(text, message):
    assert refusal(parse_toml, text, "bottle.toml") == f"bottle.toml: 1 problem\n  {message}"


def test_brackets_without_end():
    assert refusal(parse_toml, "a = " + "[" * 100_000, "deep.toml") == (
        "deep.toml: brackets are nested too deeply to be read")


@settings(deadline=None)
@given(st.text(st.sampled_from("ab=1 \"'[]{}.,#\n\r\t\\mé\x00“")))
def test_any_text_gives_a_document_or_an_input_error(text):
    document, error = outcome(parse_toml, text)
    if error is None:
        assert document.data == tomllib.loads(text)
    else:
        assert isinstance(error, ScenarioError)
        assert 1 <= error.problems[0].line <= text.count("\n") + 1


DATA = {"law": {"friction": 0.1}, "walls": [{"radius": 1}, {"radius": 2}], "list": []}


def test_overrides():
    before = repr(DATA)
    assert apply_overrides(DATA, [
        "law.friction=0.3", "run.duration='2 s'", "run.pause=2 s", "walls.0.radius=3",
        "walls[1].radius = \"4 mm\" ", 'run."odd key".on=true', "run.range=[1, 2]", "run.label=a=b",
        "run.two=1\nb=2", "run.open=[1", "list=[3]", "list.0=4",
    ]) == {
        "law": {"friction": 0.3},
        "walls": [{"radius": 3}, {"radius": "4 mm"}],
        "run": {"duration": "2 s", "pause": "2 s", "odd key": {"on": True}, "range": [1, 2],
                "label": "a=b", "two": "1\nb=2", "open": "[1"},
        "list": [4],
    }
    assert repr(DATA) == before


def test_override_of_a_document_remembers_where():
    document = override(parse_toml("[[walls]]\nradius = 1\n"), ["walls.0.radius=3", "law.x=1"])
    assert document.data == {"walls": [{"radius": 3}], "law": {"x": 1}}
    assert document.overridden == (("walls", 0, "radius"), ("law", "x"))


def test_impossible_overrides_are_all_reported():
    assert refusal(apply_overrides, DATA, [
        "friction", "=3", "law.friction=", "law..friction=1", "walls.2.radius=3", "walls.radius=3",
        "wals[0].radius=3", "law.friction.x=3", "list[0]=3", "\udcff=3", 'a"b=1',
        "walls[99999999999999999999999]=1",
    ]) == '''\
--set: 12 problems
  "friction" has no value; write it as law.friction=0.3
  "=3" has no path before its value; write it as law.friction=0.3
  "law.friction=" has no value; write it as law.friction=0.3
  "law..friction=1" has no path before its value; write it as law.friction=0.3
  walls: has no entry 2; it is a list of 2 values, from 0 to 1
  walls: is a list; say which of its entries, as in walls[0]
  wals: there is no such list; did you mean 'walls'? (known: law, walls, list)
  law.friction: is 0.1, and has nothing called "x" in it
  list: has no entry 0; it is an empty list
  "\\udcff=3" is not UTF-8 text
  "a\\"b=1" has no value; write it as law.friction=0.3
  walls: has no entry 99999999999999999999; it is a list of 2 values, from 0 to 1'''


@settings(deadline=None)
@given(st.lists(st.one_of(st.text(), st.text(st.sampled_from("law.friction[0]=\"'walls 1 mm")))))
def test_any_change_is_made_or_refused(changes):
    data, error = outcome(apply_overrides, DATA, changes)
    assert isinstance(data, dict) if error is None else str(error).startswith("--set: ")
