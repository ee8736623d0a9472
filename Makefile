# make lab: everything from a bare machine to JupyterLab in the browser.
#   PORT=8888 chooses the port, BROWSER=none opens no browser.
# make fuzz: FUZZ="funnel windows --minutes 60 --seed 7" chooses what to compare, and for how long.

PORT ?= 8888
VENV := .venv/bin
UV_COMPILE = $(VENV)/uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-header --no-annotate
NO_BROWSER = $(if $(filter none,$(BROWSER)),--no-browser)
AS_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)

# Where it is set, some hundred processes would each compile all modules that they import.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup compile lab test quick fuzz matrix bench notebooks site format lock

help:
	@echo "make lab        install what is missing and open the notebooks (PORT=8888, BROWSER=none)"
	@echo "make test       check everything: style, types, tests, notebooks, browser"
	@echo "make quick      check what needs no JVM and no browser, in two minutes"
	@echo "make fuzz       compare fresh cases with other engines (FUZZ=\"funnel windows --minutes 60\")"
	@echo "make matrix     ask the same questions under every setting of Spark"
	@echo "make bench      compare speed with ClickHouse, DuckDB and plain Spark"
	@echo "make notebooks  run the notebooks again and save their output"
	@echo "make site       build the site into site/, to be read without a kernel or a network"
	@echo "make format     format the code"
	@echo "make lock       choose the newest allowed versions and pin them with their hashes"

setup:
	@python="$$(sh tools/find_python.sh)" && "$$python" tools/setup.py

# Once, on disk, so that no Spark worker has to, and no JVM; a second run takes a second.
compile: setup
	@echo "Compiling the kernels, and writing down Spark's classes (two minutes the first time) ..."
	@$(VENV)/python -m workbench.spark.classes & $(VENV)/python -m kernels && wait $$!

# The lab opens at once: a kernel that is asked for before its turn is compiled by that call.
lab:
	@python="$$(sh tools/find_python.sh)" && "$$python" tools/setup.py lab
	@nice sh -c '$(VENV)/python -m workbench.spark.classes; $(VENV)/python -m kernels' & \
	$(VENV)/jupyter lab --notebook-dir=notebooks --port=$(PORT) $(NO_BROWSER) $(AS_ROOT)

test: compile
	@$(VENV)/python tools/test.py

quick: compile
	@$(VENV)/python tools/test.py quick

fuzz: compile
	$(VENV)/python -m tests.fuzz $(FUZZ)

matrix: compile
	$(VENV)/python -m tests.matrix $(MATRIX)

bench: compile
	$(VENV)/python -m benchmarks all --page docs/benchmarks.md

notebooks: compile
	$(VENV)/python tools/notebooks.py

site: setup
	$(VENV)/python docs/site/build.py

format: setup
	$(VENV)/ruff check --fix .
	$(VENV)/ruff format .

lock: setup
	$(VENV)/pip install --quiet "uv>=0.9"
	$(UV_COMPILE) --upgrade pyproject.toml --output-file requirements.lock
	$(UV_COMPILE) --upgrade --group dev --constraints requirements.lock \
		--output-file requirements-dev.lock
	$(UV_COMPILE) --upgrade --group build --constraints requirements.lock \
		--output-file requirements-build.lock
	$(UV_COMPILE) --upgrade --group java --output-file requirements-java.lock
