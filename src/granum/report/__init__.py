"""What a run says, on one page: published beside measured, pictures, and how to repeat it.

In: the folder of a run. Out: ``report.md``, and ``report.html``, which needs no other file. What
the page says is gathered in ``facts``; ``markdown`` and ``page`` only write it down. ``gallery`` is
the page of all studies and runs.
"""

from granum.report.facts import Figure, Report, gather
from granum.report.gallery import write_gallery
from granum.report.write import write_report

__all__ = ["Figure", "Report", "gather", "write_gallery", "write_report"]
