"""How errors and warnings are displayed to the user, in a cell of IPython and elsewhere."""

import pickle
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.utils.capture import capture_output

import workbench as wb
from tests.workbench.shells import quiet_shell
from workbench.errors import JobError, WorkbenchError, collect_warnings, warn

SENTENCE = "window: '90' has no unit; give a duration with a unit, such as '1 hour', '90 days' or"


@pytest.fixture
def cell() -> Iterator[Callable[[str], str]]:
    """Run a cell, and return what it prints, errors too."""
    with quiet_shell() as shell:

        def run(code: str) -> str:
            with capture_output() as captured:
                shell.run_cell(code, store_history=False)
            return str(captured.stdout) + str(captured.stderr)

        yield run


def test_an_error_displays_the_caller_s_line_and_one_sentence(cell: Callable[[str], str]) -> None:
    output = cell("import workbench as wb\nwb.Funnel(['a', 'b'], window='90')").splitlines()
    begin = next(i for i, one in enumerate(output) if one.endswith(", line 2"))
    line, blank, *sentence, whole = output[begin + 1 :]
    assert line == "----> 2 wb.Funnel(['a', 'b'], window='90')"
    assert (blank, whole) == ("", "%tb shows the whole traceback.")
    assert " ".join(sentence).startswith(f"WorkbenchError: {SENTENCE}")
    assert all(len(one) <= 88 for one in sentence)
    assert not [one for one in output if ".py" in one]


def test_an_error_displays_the_line_of_a_user_s_function_that_calls(
    cell: Callable[[str], str],
) -> None:
    code = "import workbench as wb\ndef mine():\n    return wb.Funnel(['a'], window='90')\nmine()"
    assert "----> 3 return wb.Funnel(['a'], window='90')" in cell(code)


def test_the_whole_traceback_is_one_call_away(cell: Callable[[str], str]) -> None:
    assert "durations.py" not in cell("import workbench as wb\nwb.Funnel(['a'], window='90')")
    whole = cell("%tb")
    assert "durations.py" in whole
    assert SENTENCE in whole


def test_an_error_that_python_formats_has_its_whole_traceback() -> None:
    import traceback

    with pytest.raises(WorkbenchError) as error:
        wb.Funnel(["a"], window="90")
    assert "durations.py" in "".join(traceback.format_exception(error.value))


@pytest.mark.parametrize("kind", [WorkbenchError, JobError])
def test_an_error_that_was_displayed_can_be_pickled(kind: Any) -> None:
    error = kind("key: none; name one.")
    assert error._render_traceback_()[0] == f"{kind.__name__}: key: none; name one."
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, "key: none; name one.")


def test_a_warning_points_at_the_line_of_the_caller() -> None:
    namespace: dict[str, Any] = {"warn": warn}
    code = "def deep():\n    warn('by way of ours')"
    exec(compile(code, str(Path(wb.__file__).with_name("any.py")), "exec"), namespace)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("directly")
        namespace["deep"]()
    assert [one.filename for one in caught] == [__file__] * 2
    lines = Path(__file__).read_text().splitlines()
    sources = [lines[one.lineno - 1].strip() for one in caught]
    assert sources == ['warn("directly")', 'namespace["deep"]()']


def test_collected_warnings_are_not_emitted_and_are_those_of_one_thread() -> None:
    other: list[list[str]] = []

    def elsewhere() -> None:
        with collect_warnings() as theirs:
            warn("of theirs")
        other.append(theirs)

    with collect_warnings() as mine:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        warn("of mine")
    assert (mine, other) == (["of mine"], [["of theirs"]])
