"""From tables to descriptors: a dataclass is its own schema.

The annotations of a frozen dataclass say what a table in a scenario may hold: the kinds of
``granum.quantity``, ``int``, ``bool``, ``str``, ``Literal``, tuples and lists of them, tables,
other dataclasses, and unions. A union of dataclasses is told apart by a key ``type`` with the name
of the class in lower case (``LinearViscoelastic``: ``"linear_viscoelastic"``), or its own
``type_name``. Keys that the class
does not have are refused, and what its ``__post_init__`` refuses is reported at the key it names.
A field whose name ends in an underscore, because Python keeps the word for itself (``for_``), is
the key without it.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, cast

from pydantic import (
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WrapValidator,
    create_model,
)
from pydantic_core import InitErrorDetails

from granum.errors import GranumError, InputError
from granum.quantity import Kind
from granum.scenario import forms, units
from granum.scenario.forms import Form
from granum.scenario.problems import Problem, ScenarioError
from granum.scenario.wording import (
    Path,
    Want,
    did_you_mean,
    either,
    found,
    known_names,
    nearest,
    quoted,
    refusal,
)

T = TypeVar("T")
_PREFIX = "key_"  # keeps the names of fields away from the names that pydantic's models use
_VERBS = ("must ", "is ", "has ", "cannot ", "needs ")


def build(cls: type[T], data: Any) -> T:
    """Return an instance of the dataclass ``cls`` from a table of a scenario.

    Raises:
        ScenarioError: with all problems, their paths relative to ``data``.
    """
    form = _class_form(cast("Any", cls))
    return cast("T", _run(form, data))


def build_choice(choices: Mapping[str, type[T]], data: Any, tag: str = "type") -> T:
    """Return an instance of the dataclass that ``data[tag]`` names, from the rest of ``data``.

    Raises:
        ScenarioError: with all problems, their paths relative to ``data``; for an unknown name the
            known ones and the nearest.
    """
    forms_by_name = {name: _class_form(cast("Any", cls)) for name, cls in choices.items()}
    return cast("T", _run(_choice(forms_by_name, tag), data))


def _run(form: Form, data: Any) -> Any:
    try:
        return form.adapter.validate_python(data)
    except ValidationError as error:
        problems = [Problem(item["loc"], _message(item)) for item in _items(error)]
    raise ScenarioError(problems)


def _items(error: ValidationError) -> list[Any]:
    return list(error.errors(include_url=False))


def _message(item: Mapping[str, Any]) -> str:
    """Return our own words where the failure is ours, pydantic's otherwise."""
    context = item.get("ctx", {})
    return str(context["error"]) if item["type"] == "value_error" else str(item["msg"])


def _failure(title: str, problems: Iterable[tuple[Path, str]]) -> ValidationError:
    """Return a failure that pydantic will place below the path of what it is reading."""
    errors = [
        InitErrorDetails(type="value_error", loc=path, input=None,
                         ctx={"error": InputError(message)})
        for path, message in problems
    ]
    return ValidationError.from_exception_data(title, errors)


def form_of(hint: Any) -> Form:
    """Return the form that an annotation asks for."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        kinds = [extra for extra in arguments[1:] if isinstance(extra, Kind)]
        return forms.number(kinds[0]) if kinds else form_of(arguments[0])
    if hint in _PLAIN:
        return _PLAIN[hint]()
    if origin is Literal:
        return forms.one_of(arguments)
    if origin in (tuple, list):
        if origin is list or arguments[-1:] == (Ellipsis,):
            return forms.listing(form_of(arguments[0]), origin)
        return forms.row([form_of(argument) for argument in arguments])
    if origin is dict and arguments[0] is str:
        return forms.named(form_of(arguments[1]))
    if origin in (Union, types.UnionType):
        return _union_form(arguments)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _class_form(hint)
    message = f"a scenario cannot hold {hint!r}; see granum.scenario.schema for what it can"
    raise TypeError(message)


_PLAIN: dict[Any, Callable[[], Form]] = {
    float: lambda: forms.number(units.NUMBER),
    int: forms.whole_number,
    str: forms.text,
    bool: forms.truth,
    None: forms.nothing,
    type(None): forms.nothing,
    Any: forms.anything,
}


def _union_form(members: tuple[Any, ...]) -> Form:
    """Return the form of a union; its dataclasses, if several, become one tagged choice."""
    classes = [one for one in members if isinstance(one, type) and dataclasses.is_dataclass(one)]
    if len(classes) < 2:
        return forms.union([form_of(member) for member in members])
    tagged = _choice({_tag_of(cls): _class_form(cls) for cls in classes}, "type")
    others = [form_of(member) for member in members if member not in classes]
    return forms.union([*others, tagged])


def _tag_of(cls: type) -> str:
    """Return what a class is called in a scenario."""
    if hasattr(cls, "type_name"):
        return str(cls.type_name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


@cache
def _class_form(cls: type) -> Form:
    """Return the form of a table that becomes an instance of the dataclass ``cls``."""
    if not dataclasses.is_dataclass(cls):
        message = f"{cls!r} is not a dataclass"
        raise TypeError(message)
    hints = typing.get_type_hints(cls, include_extras=True)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    members = {key_of(field.name): form_of(hints[field.name]) for field in fields}
    required = [key_of(field.name) for field in fields if _is_required(field)]
    want = Want(f"a table with the keys {', '.join(members)}" if members else "an empty table",
                "tables")
    definitions: dict[str, Any] = {
        _PREFIX + name: (form.annotation,
                         Field(alias=name) if name in required else Field(None, alias=name))
        for name, form in members.items()
    }
    model: Any = create_model(cls.__name__, __config__=ConfigDict(extra="forbid"), **definitions)

    def read(value: Any, handler: Callable[[Any], Any]) -> Any:
        if not _is_table(value):
            raise refusal(value, want)
        try:
            content = handler(value)
        except ValidationError as error:
            problems = _reworded(error, members, value)
        else:
            given = {field.name: getattr(content, _PREFIX + key_of(field.name))
                     for field in fields if key_of(field.name) in value}
            return _construct(cls, given, value)
        raise _failure(cls.__name__, problems)

    return Form(want, _is_table, Annotated[model, WrapValidator(read)])


def key_of(name: str) -> str:
    """Return the key by which a table has a field of this name."""
    return name.rstrip("_")


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _reworded(error: ValidationError, members: Mapping[str, Form], value: Mapping[str, Any]
              ) -> list[tuple[Path, str]]:
    """Return the problems of a table; a key that is missing because it is misspelt is one."""
    problems: list[tuple[Path, str]] = []
    absent = [name for name in members if name not in value]
    meant = {nearest(str(key), absent) for key in value if key not in members}
    for item in _items(error):
        path: Path = item["loc"]
        if item["type"] == "extra_forbidden" and len(path) == 1:
            key = str(path[0])
            hint = did_you_mean(key, absent) or did_you_mean(key, members)
            problems.append((path, f"unknown key{hint}{known_names(members)}"))
        elif item["type"] == "missing" and len(path) == 1:
            if path[0] not in meant:
                problems.append((path, f"missing; {members[str(path[0])].want}"))
        else:
            problems.append((path, _message(item)))
    return problems


def _construct(cls: type, given: Mapping[str, Any], raw: Mapping[str, Any]) -> Any:
    """Return ``cls(**given)``; what it refuses is placed at the field its message begins with."""
    try:
        return cls(**given)
    except (ValueError, ArithmeticError) as error:
        is_worded = isinstance(error, GranumError | ValueError) and str(error)
        message = str(error) if is_worded else f"cannot be worked out ({type(error).__name__})"
    path: Path = ()
    names = (key_of(field.name) for field in dataclasses.fields(cls) if field.init)
    for name in sorted(names, key=len, reverse=True):
        match = re.match(
            rf"(?:{cls.__name__} |the )?(?:{name}|{name.replace('_', ' ')})\b(?!_)", message)
        if match:
            rest = message[match.end():].lstrip()
            message = rest if rest.startswith(_VERBS) else message
            if isinstance(raw.get(name), str) and raw[name] not in message:
                message += f" (written {quoted(raw[name])})"
            path = (name,)
            break
    raise _failure(cls.__name__, [(path, message)])


def _choice(choices: Mapping[str, Form], tag: str) -> Form:
    """Return the form of a table whose key ``tag`` says which of ``choices`` it is."""
    names = [f"'{name}'" for name in choices]
    want = Want(f"a table whose {tag} is {either(names)}", "tables")

    def read(value: Any) -> Any:
        if not _is_table(value):
            raise refusal(value, want)
        if tag not in value:
            raise _failure(tag, [_no_tag(value, tag, names)])
        name = value[tag]
        if not isinstance(name, str) or name not in choices:
            hint = did_you_mean(name, choices) if isinstance(name, str) else ""
            message = f"{found(name)} is unknown{hint}{known_names(choices)}"
            raise _failure(tag, [((tag,), message)])
        return choices[name].adapter.validate_python(
            {key: item for key, item in value.items() if key != tag}
        )

    return Form(want, _is_table, Annotated[Any, PlainValidator(read)])


def _no_tag(value: Mapping[str, Any], tag: str, names: list[str]) -> tuple[Path, str]:
    near = nearest(tag, [key for key in value if isinstance(key, str)])
    if near is not None:
        return (near,), f"unknown key; did you mean '{tag}'?"
    return (tag,), f"missing; {either(names)} is wanted"
