"""The command line, thin: it reads arguments, calls the library, and speaks to a person.

Exit codes: 0 done, 1 a file could not be written, 2 bad input, 3 numerical trouble, 130
interrupted (the run can be resumed). Each command is one module here.
"""

from granum.cli.app import main

__all__ = ["main"]
