"""How Sphinx builds these pages: ``sphinx-build -W docs docs/_build``."""

import granum

project = "granum"
author = "The granum developers"
copyright = author
version = release = granum.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_use_ivar = True  # attributes of dataclasses are told once
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_extra_path = ["images/hourglass.mp4"]  # a page shows it

html_theme = "furo"
html_title = f"granum {version}"
