"""The content of a cache is executed, so no other user of the machine may write to it."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from numba import config

from kernels.core.cache import KernelLocator, cache_folder
from kernels.core.private_folder import is_private, private_folder

Hand = Callable[[Path], None]


@pytest.fixture
def change_owner(monkeypatch: pytest.MonkeyPatch) -> Hand:
    """Change the owner of a folder to another user."""

    def change(folder: Path) -> None:
        if os.getuid() == 0:
            os.chown(folder, 4321, 4321)
        else:
            owner = folder.stat().st_uid
            monkeypatch.setattr(os, "getuid", lambda: owner + 1)

    return change


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777])
def test_a_folder_that_others_can_write_to_is_not_private(tmp_path: Path, mode: int) -> None:
    assert is_private(tmp_path)
    tmp_path.chmod(mode)
    assert not is_private(tmp_path)


@pytest.mark.parametrize(("mode", "private"), [(0o777, False), (0o1777, True), (0o755, True)])
def test_a_folder_that_others_can_replace_is_not_private(
    tmp_path: Path, mode: int, private: bool
) -> None:
    folder = tmp_path / "above" / "folder"
    folder.mkdir(parents=True)
    folder.parent.chmod(mode)
    assert is_private(folder) == private


def test_a_folder_of_another_user_is_not_private(tmp_path: Path, change_owner: Hand) -> None:
    change_owner(tmp_path)
    assert not is_private(tmp_path)


def test_a_link_is_as_private_as_its_target(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to("open")
    assert not is_private(tmp_path / "link")


def test_created_folders_are_only_for_this_user(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "cache" / "kernels")
    assert folder == tmp_path / "cache" / "kernels"
    assert [path.stat().st_mode & 0o777 for path in (folder, folder.parent)] == [0o700, 0o700]


def test_a_file_in_the_path_leads_to_the_temporary_files(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    folder = private_folder(tmp_path / "file" / "kernels")
    assert folder == elsewhere / f"window-workbench-{os.getuid()}" / "kernels"
    assert private_folder(tmp_path / "file" / "kernels") == folder


def test_an_open_folder_among_the_temporary_files_is_not_used(
    tmp_path: Path, elsewhere: Path
) -> None:
    prepared = elsewhere / f"window-workbench-{os.getuid()}" / "open"
    prepared.mkdir(parents=True)
    prepared.chmod(0o777)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    folder = private_folder(tmp_path / "open")
    assert folder not in (prepared, tmp_path / "open")
    assert is_private(folder)


@pytest.fixture
def of_another_user(
    tmp_path: Path, elsewhere: Path, change_owner: Hand, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """The configured folder for compiled kernels, which belongs to another user."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    change_owner(folder)
    monkeypatch.setattr(config, "CACHE_DIR", str(folder))
    cache_folder.cache_clear()
    yield folder
    cache_folder.cache_clear()


def test_a_cache_of_another_user_is_neither_read_nor_written(of_another_user: Path) -> None:
    locator = KernelLocator("kernels.structures.order", 1)
    locator.ensure_cache_path()
    folder = Path(locator.get_cache_path())
    assert of_another_user not in folder.parents
    assert is_private(folder)
    assert list(of_another_user.iterdir()) == []
