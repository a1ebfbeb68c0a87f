"""Build backend: scikit-build-core, and zig as the compiler where a machine has none.

The variable ``STABLEBN_COMPILER=zig`` takes zig in any case; ``CXX`` names another compiler, as everywhere.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from scikit_build_core import build as skbuild
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, str | list[str]] | None

ZIG = "ziglang>=0.13"

# What the core asks of a compiler and its library: C++20 with these headers, threads, a shared library that links.
PROBE = """
#include <bit>
#include <span>
#include <thread>
int probe(std::span<const int> values) {
    int ones = 0;
    std::thread([&] { for (int value : values) ones += std::popcount(unsigned(value)); }).join();
    return ones;
}
"""


def compiles(command: list[str]) -> bool:
    """Whether a compiler (its command, with arguments) builds a small C++20 library."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.cpp")
        source.write_text(PROBE)
        flags = ["-std=c++20", "-fPIC", "-shared", "-pthread", str(source), "-o", str(Path(folder, "probe.so"))]
        try:
            return subprocess.run([*command, *flags], capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def visual_studio() -> bool:
    """Whether CMake may find Microsoft's compiler (untried: no Windows machine was at hand)."""
    installer = Path(os.environ.get("PROGRAMFILES(X86)", ""), "Microsoft Visual Studio", "Installer", "vswhere.exe")
    return installer.exists() or shutil.which("cl") is not None


def compiler() -> list[str] | None:
    """Command of the compiler to use; nothing where there is none, so that zig must do it."""
    if os.environ.get("STABLEBN_COMPILER") == "zig":
        return None
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    if sys.platform == "win32":
        return ["cl"] if visual_studio() else None
    # The one Python was compiled with comes first, as extensions are used to; then those that CMake looks for.
    of_python = shlex.split(sysconfig.get_config_var("CXX") or "")[:1]
    for name in dict.fromkeys([*of_python, "c++", "g++", "clang++"]):
        if shutil.which(name) and compiles([name]):
            return [name]
    return None


def prepare(settings: Settings) -> Settings:
    """Settings for scikit-build-core; the choice of the compiler goes into the environment, where CMake looks."""
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise SystemExit(
            f"stablebn is compiled here, which needs the header files of Python {sys.version_info[0]}."
            f"{sys.version_info[1]}, and they are missing.\nInstall them (python3-dev in Debian and Ubuntu, "
            "python3-devel in Fedora), or install stablebn from a wheel."
        )
    found = compiler()
    if found is None:
        import ziglang  # type: ignore[import-untyped]

        name = "zig"
        program = Path(ziglang.__file__).with_name("zig.exe" if sys.platform == "win32" else "zig")
        os.environ["STABLEBN_ZIG"] = str(program)
        os.environ["CMAKE_TOOLCHAIN_FILE"] = str(Path(__file__).with_name("zig.cmake"))
    else:
        name = Path(found[0]).stem
        if sys.platform != "win32":
            os.environ["CXX"] = shlex.join(found)
    # A folder that stays, so that the next build compiles only what changed; one for each compiler, as CMake keeps to
    # the first that it saw.
    return {"build-dir": f"build/{{wheel_tag}}-{name}", **(settings or {})}


def requirements(of_scikit_build: list[str]) -> list[str]:
    """What scikit-build-core asks for (CMake and Ninja where missing), and zig where there is no compiler."""
    return of_scikit_build if compiler() else [*of_scikit_build, ZIG]


def expect_ninja() -> None:
    """Make Ninja the generator on Windows without Visual Studio, which CMake would look for in vain."""
    if sys.platform == "win32" and compiler() is None:
        os.environ.setdefault("CMAKE_GENERATOR", "Ninja")


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Requirements of a wheel beyond those in pyproject.toml."""
    expect_ninja()
    return requirements(skbuild.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Requirements of an editable installation beyond those in pyproject.toml."""
    expect_ninja()
    return requirements(skbuild.get_requires_for_build_editable(config_settings))


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build a wheel and return its name."""
    expect_ninja()
    return skbuild.build_wheel(wheel_directory, prepare(config_settings), metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of an editable installation and return its name."""
    expect_ninja()
    return skbuild.build_editable(wheel_directory, prepare(config_settings), metadata_directory)
