"""A headless Chromium, and a JupyterLab on loopback whose notebooks are opened and run in it."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.one_jvm import OneJvm

ROOT = Path(__file__).parents[2]
NO_BROWSER = (
    "The browser tests need Chromium: install it with 'apt-get install chromium' on Debian "
    "or 'brew install --cask chromium' on macOS, or put google-chrome on the PATH."
)
# Every cell stays in the page, also those out of sight; no pop-up covers a cell.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
IS_OPEN = """(name) => {
  const panel = window.jupyterapp?.shell.currentWidget;
  return panel?.context?.path === name && Boolean(panel.sessionContext?.session?.kernel);
}"""
OPEN = """async (path) => {
  await window.jupyterapp.commands.execute('docmanager:open', { path });
}"""
# Marks notebooks as saved: otherwise JupyterLab asks whether to save them.
CLOSE_ALL = """() => {
  for (const panel of [...window.jupyterapp.shell.widgets('main')].filter((it) => it.context)) {
    panel.context.model.dirty = false;
    panel.close();
  }
}"""
ARE_CLOSED = """() =>
  [...window.jupyterapp.shell.widgets('main')].every((panel) => !panel.context)
  && !document.querySelector('.jp-Notebook')"""
RUN_ALL = """async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await window.jupyterapp.commands.execute('notebook:run-all-cells');
  return [...panel.content.model.cells].flatMap((cell) => (cell.toJSON().outputs ?? [])
    .filter((output) => output.output_type === 'error')
    .map((output) => `${output.ename}: ${output.evalue}`));
}"""

# anywidget's error for a widget that is late on a busy machine; ours hear Python all the same.
GIVEN_UP = "[anywidget] Failed to initialize model."
# JupyterLab's error for a saved widget that it draws before it has read the state of all.
NOT_READ = "widget model not found"
# Other tests may run at the same time, so a late answer is no failure.
PATIENCE = 180_000  # milliseconds
expect.set_options(timeout=PATIENCE)

OpenNotebook = Callable[[Path | Iterable[str]], Page]


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    address: str
    token: str
    folder: Path
    jvm: OneJvm

    def trust(self, name: str) -> None:
        """Let a notebook show its saved outputs."""
        notary = NotebookNotary(data_dir=str(self.folder.parent / "data"))
        notary.sign(nbformat.read(self.folder / name, 4))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One headless Chromium for all tests; without one, the tests fail and say how to get it."""
    executables = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    executable = next(executables, None)
    if executable is None:
        pytest.fail(NO_BROWSER, pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@dataclass(frozen=True)
class WatchedPage:
    """A page in a separate context, and the errors on its console."""

    page: Page
    errors: list[str]


@contextmanager
def watched_page(chromium: Browser) -> Iterator[WatchedPage]:
    """Open a fresh page, and close it with its context."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors: list[str] = []
    page.on("console", lambda message: errors.extend(_error(message)))
    page.on("pageerror", lambda error: errors.extend({str(error)} - {GIVEN_UP}))
    yield WatchedPage(page, errors)
    context.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A fresh page; an error on its console fails the test."""
    with watched_page(chromium) as watched:
        yield watched.page
    assert watched.errors == []


def _error(message: ConsoleMessage) -> list[str]:
    # A file that a server does not have is no error in the page's code.
    harmless = "Failed to load resource" in message.text
    return [message.text] if message.type == "error" and not harmless else []


@pytest.fixture(scope="session")
def lab(jvm: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab on loopback, with a new port, a new token and new folders."""
    room = tmp_path_factory.mktemp("lab")
    (room / "notebooks").mkdir()
    address = f"http://127.0.0.1:{_free_port()}"
    lab = Lab(address, secrets.token_hex(16), room / "notebooks", OneJvm())
    environment = _lab_environment(room) | lab.jvm.environment()
    with (room / "lab.log").open("w") as log:
        server = subprocess.Popen(
            _lab_command(lab), env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait_for(lab, server, room / "lab.log")
            yield lab
        finally:
            server.terminate()
            try:
                server.wait(timeout=30)
            except subprocess.TimeoutExpired:
                # On a busy machine it waits long for starting kernels, which nobody uses any more.
                server.kill()
                server.wait()


@pytest.fixture(scope="session")
def lab_page(chromium: Browser) -> Iterator[WatchedPage]:
    """One page for all notebooks: a JupyterLab takes longer to load than most of them to run."""
    with watched_page(chromium) as watched:
        yield watched


@pytest.fixture
def open_notebook(
    lab: Lab, lab_page: WatchedPage, request: pytest.FixtureRequest
) -> Iterator[OpenNotebook]:
    """Open a notebook: one made of cell sources is run to its end, a file is shown as it was run.

    All tests share the page, which shows one notebook; an error on its console fails the test.
    """
    page, failed = lab_page.page, request.session.testsfailed
    harmless: set[str] = set()

    def open_(path_or_cells: Path | Iterable[str]) -> Page:
        name = f"{secrets.token_hex(4)}.ipynb"
        if was_run := isinstance(path_or_cells, Path):
            shutil.copy(path_or_cells, lab.folder / name)
            lab.trust(name)
            harmless.add(NOT_READ)
        else:
            _write_notebook(path_or_cells, lab.folder / name)
        if page.url == "about:blank":
            page.goto(f"{lab.address}/lab/workspaces/{name[:8]}/tree/{name}?token={lab.token}")
        else:
            page.evaluate(OPEN, name)
        page.wait_for_function(IS_OPEN, arg=name)
        assert was_run or page.evaluate(RUN_ALL) == []
        return page

    yield open_
    # A message that a widget cannot send any more to a stopped kernel is no error.
    errors = [one for one in lab_page.errors if not any(words in one for words in harmless)]
    if request.session.testsfailed > failed:
        page.goto("about:blank")
    elif page.url != "about:blank":
        page.evaluate(CLOSE_ALL)
        page.wait_for_function(ARE_CLOSED)
    _stop_kernels(lab)
    lab_page.errors.clear()
    assert errors == []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _lab_command(lab: Lab) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", f"--port={lab.address.rpartition(':')[2]}"),
        f"--IdentityProvider.token={lab.token}",
        f"--ServerApp.root_dir={lab.folder}",
        "--ServerApp.port_retries=0",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]


def _lab_environment(room: Path) -> dict[str, str]:
    """Return the environment: this interpreter and package, and none of the user's settings."""
    for plugin, settings in SETTINGS.items():
        path = room / "settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings), encoding="utf-8")
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "JUPYTERLAB_SETTINGS_DIR": str(room / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(room / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(room / "config"),
        "JUPYTER_DATA_DIR": str(room / "data"),
        "JUPYTER_RUNTIME_DIR": str(room / "runtime"),
        "IPYTHONDIR": str(room / "ipython"),
    }


def _wait_for(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if server.poll() is not None:
            break
        try:
            _ask(lab, "/api").close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}", pytrace=False)


def _write_notebook(cells: Iterable[str], path: Path) -> None:
    new: Any = nbformat.v4
    notebook = new.new_notebook(cells=[new.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    path.write_text(new.writes(notebook), encoding="utf-8")


def _stop_kernels(lab: Lab) -> None:
    for session in json.load(_ask(lab, "/api/sessions")):
        _ask(lab, f"/api/sessions/{session['id']}", method="DELETE").close()
    lab.jvm.stop_spark()


def _ask(lab: Lab, path: str, method: str = "GET") -> Any:
    headers = {"Authorization": f"token {lab.token}"}
    request = urllib.request.Request(lab.address + path, headers=headers, method=method)
    return urllib.request.urlopen(request, timeout=30)
