"""Scenarios: a TOML file in, checked descriptors out.

In: the text of a scenario, and ``--set key=value`` changes. Out: dataclass instances in SI units,
or one ``ScenarioError`` that names every problem of the file with its line, key, value found and
what is allowed.

``reader`` and ``overrides`` make a ``Document``; ``schema`` turns its tables into descriptors,
``units`` the numbers in them, ``pairs`` what a law's table says of materials; ``problems`` collects
what is wrong and words it, with ``lines`` for the line numbers; ``writer`` writes tables back to
TOML.

A new unit is one line in ``units``. A new wall, shape or law needs nothing here: its frozen
dataclass, annotated with the kinds of ``granum.quantity``, is its schema.
"""
