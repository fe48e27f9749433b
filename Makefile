# One command each: `make check` runs what CI runs.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin

.PHONY: demo check lint test docs clean

demo: $(VENV)/.demo  ## install and run the flagship study; ends in a picture
	rm -rf runs/hourglass
	$(BIN)/granum run hourglass --out runs/hourglass

check: lint test  ## install and pass everything that CI asks for

lint: $(VENV)/.test
	$(BIN)/ruff check src tests docs
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(VENV)/.test
	$(BIN)/pytest -n 2 --dist loadfile

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W docs docs/_build

$(VENV)/.demo $(VENV)/.test $(VENV)/.docs: $(VENV)/.%: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[$(if $(filter demo,$*),plot,$*),threads]'
	touch $@

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
