"""The forms that a value in a scenario can take, as pydantic validators that speak our language.

A ``Form`` knows what it wants (for messages), which values look like it (to tell the members of a
union apart) and how pydantic shall read it. Forms of lists, tables and unions are made of the forms
of their parts; pydantic walks the data, keeps the path and gathers all failures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import GenericAlias
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainValidator, TypeAdapter, ValidationError

from granum.checks import wild
from granum.quantity import Kind
from granum.scenario import units
from granum.scenario.wording import Want, either, found, refusal

_MOST_IN_EXAMPLE = 4
_ANYTHING = Want("a value", "values")


@dataclass(frozen=True)
class Form:
    """One form of a value.

    Args:
        want: its description.
        fits: tells whether a value looks like this form, well made or not.
        annotation: a type that pydantic reads by our rules.
    """

    want: Want
    fits: Callable[[Any], bool]
    annotation: Any

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """The validator, made when first used."""
        return TypeAdapter(self.annotation)


def _leaf(want: Want, fits: Callable[[Any], bool], read: Callable[[Any], Any]) -> Form:
    return Form(want, fits, Annotated[Any, PlainValidator(read)])


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return units.starts_as_number(value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(kind: Kind) -> Form:
    """Return the form of a number with a unit."""
    def read(value: Any) -> float:
        result = units.parse(value, kind)
        if wild(result):
            message = f"{found(value)} is too {wild(result)} to be meant"
            raise ValueError(message)
        return result

    return _leaf(units.want(kind), _is_number, read)


def whole_number() -> Form:
    """Return the form of an ``int``; ``1e6`` is one, too."""
    want = Want("a whole number", "whole numbers", ("100",))

    def read(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        try:
            result = units.parse(value, units.NUMBER)
        except ValueError:
            result = 0.5
        if not result.is_integer():
            raise refusal(value, want)
        return int(result)

    return _leaf(want, _is_number, read)


def text() -> Form:
    """Return the form of a ``str``."""
    return _of_type(str, Want("text in quotes", "texts", ('"a name"',)))


def truth() -> Form:
    """Return the form of a ``bool``."""
    return _of_type(bool, Want("true or false"))


def nothing() -> Form:
    """Return the form of ``None``, which no file holds but a default may."""
    return _of_type(type(None), Want("nothing"))


def anything() -> Form:
    """Return the form of a value that is passed on as it is."""
    return _leaf(_ANYTHING, lambda _: True, lambda value: value)


def _of_type(type_: type, want: Want) -> Form:
    def fits(value: Any) -> bool:
        return isinstance(value, type_)

    def read(value: Any) -> Any:
        if not fits(value):
            raise refusal(value, want)
        return value

    return _leaf(want, fits, read)


def one_of(values: Sequence[Any]) -> Form:
    """Return the form of a choice between fixed ``values``."""
    shown = [f"'{value}'" if isinstance(value, str) else found(value) for value in values]
    names = tuple(value for value in values if isinstance(value, str))
    want = Want(either(shown), names=names)

    def fits(value: Any) -> bool:
        return any(type(value) is type(known) and value == known for known in values)

    def read(value: Any) -> Any:
        if not fits(value):
            raise refusal(value, want)
        return value

    return _leaf(want, fits, read)


def _list_of(item: Want, size: int | None) -> str:
    if size == 1:
        return f"a list of 1 value ({item.noun})"
    noun = f"a list of {'' if size is None else f'{size} '}{item.many or 'values'}"
    return noun if item.many else f"{noun}, each {item.noun}"


def listing(item: Form, make: Callable[[Any], Any] = tuple) -> Form:
    """Return the form of a list of any length, read into ``make``."""
    example = item.want.examples[:1]
    want = Want(_list_of(item.want, None), "lists", tuple(f"[{one}, {one}]" for one in example))

    def check(value: Any) -> list[Any]:
        if not _is_list(value):
            raise refusal(value, want)
        return list(value)

    inner: Any = GenericAlias(list, (item.annotation,))
    annotation: Any = Annotated[inner, BeforeValidator(check)]
    if make is list:
        return Form(want, _is_list, annotation)
    return Form(want, _is_list, Annotated[annotation, AfterValidator(make)])


def row(items: Sequence[Form]) -> Form:
    """Return the form of a list with one entry for each of ``items``."""
    wants = [item.want for item in items]
    if not items:
        noun = "an empty list"
    elif all(want == wants[0] for want in wants):
        noun = _list_of(wants[0], len(items))
    else:
        noun = f"a list of {len(items)} values ({', '.join(want.noun for want in wants)})"
    examples = [want.examples[0] for want in wants if want.examples]
    complete = 0 < len(examples) == len(items) <= _MOST_IN_EXAMPLE
    want = Want(noun, "lists", (f"[{', '.join(examples)}]",) if complete else ())

    def check(value: Any) -> tuple[Any, ...]:
        if not _is_list(value) or len(value) != len(items):
            raise refusal(value, want)
        return tuple(value)

    inner: Any = GenericAlias(tuple, tuple(item.annotation for item in items))
    return Form(want, _is_list, Annotated[inner, BeforeValidator(check)])


def named(item: Form) -> Form:
    """Return the form of a table with names of the user's choice for its keys."""
    values = f" whose values are {item.want.many or 'each ' + item.want.noun}"
    want = Want("a table" + (values if item.want != _ANYTHING else ""), "tables")

    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise refusal(value, want)
        return value

    inner: Any = GenericAlias(dict, (str, item.annotation))
    return Form(want, lambda value: isinstance(value, dict),
                Annotated[inner, BeforeValidator(check)])


def union(forms: Sequence[Form]) -> Form:
    """Return the form of a value that may take any of ``forms``; the first that reads it wins."""
    spoken = [form.want for form in forms if form.want.noun != "nothing"]
    if not spoken:
        return forms[0]
    examples = tuple(dict.fromkeys(one for want in spoken for one in want.examples))
    want = replace(
        spoken[0],
        noun=either(list(dict.fromkeys(want.noun for want in spoken))),
        many=spoken[0].many if len(spoken) == 1 else "",
        examples=examples,
        names=tuple(name for want in spoken for name in want.names),
    )

    def read(value: Any) -> Any:
        failures: list[ValidationError] = []
        for form in forms:
            if form.fits(value):
                try:
                    return form.adapter.validate_python(value)
                except ValidationError as error:
                    failures.append(error)
        if not failures:
            raise refusal(value, want)
        raise min(failures, key=ValidationError.error_count)

    return Form(want, lambda value: any(form.fits(value) for form in forms),
                Annotated[Any, PlainValidator(read)])
