"""What SECURITY.md promises about code in data: no other call unpickles or evaluates it."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Calls that run their argument as code.
RUNS = {"eval", "exec", "pickle.load", "pickle.loads", "marshal.loads", "yaml.load"}
RUNS |= {
    "os.system",
    "cloudpickle.loads",
    "joblib.load",
    "shelve.open",
    "pickle.Unpickler",
    "pd.read_pickle",
    "np.load",
}
#: The calls that the packages make; SECURITY.md explains what each runs.
KNOWN = {"pickle.loads": 2, "eval": 3, "exec": 1}


def calls() -> Iterator[ast.Call]:
    for package in ("kernels", "workbench"):
        for file in ROOT.joinpath(package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    yield node


def test_nothing_else_is_unpickled_or_evaluated() -> None:
    assert Counter(name for call in calls() if (name := ast.unparse(call.func)) in RUNS) == KNOWN


def test_no_argument_allows_pickles_or_a_shell() -> None:
    keywords = {one.arg for call in calls() for one in call.keywords}
    assert not keywords & {"allow_pickle", "shell"}


def test_pickle_is_imported_under_its_own_name() -> None:
    texts = (file.read_text("utf-8") for file in ROOT.joinpath("workbench").rglob("*.py"))
    imports = [line for text in texts for line in text.splitlines() if "import" in line]
    assert not [line for line in imports if "from pickle" in line or "pickle as" in line]
