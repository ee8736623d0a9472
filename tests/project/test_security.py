"""What SECURITY.md says of code that comes from data: nothing is unpickled or evaluated unseen."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Calls that run what they are given.
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
#: Those that there are, and SECURITY.md says what they run.
KNOWN = {"pickle.loads": 2, "eval": 3, "exec": 1}


def calls() -> Iterator[ast.Call]:
    for package in ("kernels", "workbench"):
        for file in ROOT.joinpath(package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    yield node


def test_nothing_else_is_unpickled_or_evaluated() -> None:
    assert Counter(name for call in calls() if (name := ast.unparse(call.func)) in RUNS) == KNOWN


def test_nothing_is_unpickled_or_started_by_an_option() -> None:
    given = {one.arg for call in calls() for one in call.keywords}
    assert not given & {"allow_pickle", "shell"}


def test_pickles_have_no_other_door() -> None:
    texts = (file.read_text("utf-8") for file in ROOT.joinpath("workbench").rglob("*.py"))
    imports = [line for text in texts for line in text.splitlines() if "import" in line]
    assert not [line for line in imports if "from pickle" in line or "pickle as" in line]
