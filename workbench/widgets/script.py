"""Large third-party scripts, which a page gets once rather than once for each widget."""

from pathlib import Path
from typing import Any, ClassVar, Self

import anywidget
import ipywidgets as widgets
from traitlets import Bytes, Instance, Unicode

STATIC = Path(__file__).parent / "static"


class SharedScript(anywidget.AnyWidget):
    """An invisible widget: a script that a page gets once for all widgets of a kernel.

    anywidget gives up a widget that is not ready within two seconds, which then receives no more
    messages from Python. Several widgets with megabytes of script each would be given up on a busy
    machine.

    Examples
    --------
    >>> SharedScript.of(STATIC / "sheet.js", "1") is SharedScript.of(STATIC / "sheet.js", "1")
    True
    """

    _esm = "export default {}"
    code = Bytes().tag(sync=True)
    name = Unicode().tag(sync=True)

    _of_this_kernel: ClassVar[dict[str, Any]] = {}

    @classmethod
    def of(cls, file: Path, version: str) -> Self:
        """Return the script of this kernel, created again if it was closed.

        Parameters
        ----------
        file : path
        version : str
            The version of its library, which tells scripts of the same name apart.
        """
        name = f"{file.name} {version}"
        known: Self | None = cls._of_this_kernel.get(name)
        if known is None or known.comm is None:
            known = cls._of_this_kernel[name] = cls(code=file.read_bytes(), name=name)
        return known


def shared_script() -> Any:
    """Return the trait by which a widget's script from :func:`loader` finds the shared one."""
    return Instance(SharedScript).tag(sync=True, **widgets.widget_serialization)


def loader(*scripts: str) -> str:
    """Return a widget's script, which may load the shared one by ``shared(model)``.

    By ``keepsHearing(model)`` it receives messages from Python even if anywidget gave it up.
    """
    names = "heard.js", "shared_script.js", *scripts
    return "\n".join((STATIC / name).read_text("utf-8") for name in names)
