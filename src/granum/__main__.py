"""`python -m granum` is the command `granum`, also where the latter is not on the path."""

from granum.cli import main

main()
