"""Scripts of others that are large: a page gets one once, and not once for each of its widgets."""

from pathlib import Path
from typing import Any, ClassVar, Self

import anywidget
import ipywidgets as widgets
from traitlets import Bytes, Instance, Unicode

STATIC = Path(__file__).parent / "static"


class SharedScript(anywidget.AnyWidget):
    """A script that a page gets once for all widgets of a kernel; it is not seen.

    A widget that is not ready within two seconds is given up by anywidget, and hears no more of
    Python. With a script of megabytes of its own, each of several would be, on a busy machine.

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
        """Return the one of this kernel, made anew if somebody closed it.

        Parameters
        ----------
        file : path
        version : str
            Of the library that it belongs to: pages keep it apart from others of its name.
        """
        name = f"{file.name} {version}"
        known: Self | None = cls._of_this_kernel.get(name)
        if known is None or known.comm is None:
            known = cls._of_this_kernel[name] = cls(code=file.read_bytes(), name=name)
        return known


def shared_script() -> Any:
    """Return the trait by which a widget's own script, of :func:`loader`, finds the shared one."""
    return Instance(SharedScript).tag(sync=True, **widgets.widget_serialization)


def loader(script: str) -> str:
    """Return a widget's own script, which may load the shared one by ``shared(model)``.

    By ``keepsHearing(model)`` it hears Python also where anywidget gave it up.
    """
    names = "heard.js", "shared_script.js", script
    return "\n".join((STATIC / name).read_text("utf-8") for name in names)
