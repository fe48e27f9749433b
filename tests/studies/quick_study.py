"""Running the quick size of a study as a user does."""

import json
import sys

from granum.cli import main


def run_quick(folder, study, *options, variant=None):
    """Run it from the command line into ``folder``, on one thread; return its summary."""
    words = ["granum", "run", study, "--quick", "--out", str(folder), "--threads", "1", "--quiet"]
    if variant is not None:
        words += ["--set", f"variant={variant}"]
    before, sys.argv = sys.argv, [*words, *map(str, options)]
    try:
        main()
    except SystemExit as end:
        assert not end.code  # noqa: PT017
    finally:
        sys.argv = before
    return json.loads((folder / "summary.json").read_text())
