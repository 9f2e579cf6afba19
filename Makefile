# Two commands do all:  make demo  and  make test.  Each installs what it needs into .venv first, and no more.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TESTED := $(VENV)/.installed-for-tests
DATA ?= ../shared/data
SPARK := build/spark/.installed
CASES ?= few
AXE := build/axe/node_modules/axe-core/axe.min.js

.PHONY: demo test test-deep spark check bench papers reference docs wheel clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(TESTED): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	touch $@

demo: $(STAMP)
	$(BIN)/sharewell demo --folder demo --replace

test: $(TESTED) check $(AXE)
	$(BIN)/python -m pytest -n 2 --dist loadscope

test-deep: $(TESTED)  # before a release: what needs hundreds of seeds, and many fresh examples of every property
	$(BIN)/python -m pytest -n 2 -m 'deep or hypothesis' --hypothesis-profile=deep

spark: $(TESTED) $(SPARK)  # the same on Spark itself, where there is Java; make spark CASES=all takes many minutes
	SHAREWELL_TEST_SPARK=$(CASES) PYTHONPATH=$(CURDIR)/build/spark $(BIN)/python -m pytest -rs \
	  tests/engines/test_equality.py tests/engines/test_kills.py

$(SPARK): constraints.txt  # 430 MB; where it or Java cannot be had those tests skip and say so
	mkdir -p $(@D)
	command -v java >/dev/null && $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	  --no-deps --upgrade --target build/spark pyspark py4j && touch $@ || \
	  echo "Java or pyspark is missing: the comparison with Spark will skip"

$(AXE):  # checks pages for people who cannot see or point; where npm is missing those tests skip and say so
	npm install --silent --no-save --no-audit --no-fund --prefix build/axe axe-core@4.14.0 >/dev/null 2>&1 || \
	  echo "axe-core could not be installed: tests of accessibility will skip"

check: $(TESTED)
	$(BIN)/ruff check src tests benchmarks examples train
	$(BIN)/ruff format --check src tests benchmarks examples train
	$(BIN)/mypy

bench: $(TESTED)
	for script in $(filter-out benchmarks/paper_figures.py,$(wildcard benchmarks/*.py)); do \
	  data=$$(grep -q '"--data"' $$script && echo "--data $(DATA)"); \
	  echo "== $$script"; $(BIN)/python $$script $$data || exit 1; \
	done

papers: $(TESTED)  # every figure of the five papers, against its committed range; writes README's table
	$(BIN)/python benchmarks/paper_figures.py --data $(DATA)

reference: $(STAMP)  # the tables of docs/plan.md, from the sections' own words
	$(BIN)/python -m sharewell.plan.reference docs/plan.md

docs: $(STAMP) reference
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/mkdocs build --strict --quiet
	@echo "site/first-release.html"

clean:
	rm -rf $(VENV) demo site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

wheel: $(STAMP)  # what people install: built, put beside the tested dependencies, and taken through the demo
	rm -rf dist build/wheel
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet --disable-pip-version-check --no-deps dist/*.whl
	PYTHONPATH=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
	  build/wheel/bin/python -m sharewell demo --folder build/wheel/demo --students 40 --replace > build/wheel/demo.log \
	  || test $$? -eq 3  # a course this small may be refused, which takes all of the package as well
