# One command each: `make check` runs what CI runs.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin

BROWSERS = $(GRANUM_BROWSER) chromium-headless-shell chromium chromium-browser google-chrome \
	google-chrome-stable chrome

.PHONY: demo check lint test browser docs clean

demo: $(VENV)/.demo  ## install and run the flagship study; ends in a picture
	rm -rf runs/hourglass
	$(BIN)/granum run hourglass --out runs/hourglass

check: lint test  ## install and pass everything that CI asks for

lint: $(VENV)/.test
	$(BIN)/ruff check src tests docs
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(VENV)/.test browser
	$(BIN)/pytest -n 2 --dist loadfile

browser:  ## Chromium, for the tests of the page; without it they fail and say so
	@for name in $(BROWSERS); do command -v $$name > /dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && \
		apt-get -qq install --no-install-recommends chromium-headless-shell > /dev/null; \
	fi || true

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W docs docs/_build

$(VENV)/.demo $(VENV)/.test $(VENV)/.docs: $(VENV)/.%: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[$(if $(filter demo,$*),plot,$*),threads]'
	touch $@

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
