"""Install what a build needs into the environment of the Python that runs this.

Builds without isolation (``pip install --no-build-isolation``) then find nanobind in the same place every time, so
that only what changed is compiled again.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def install(requirements: list[str]) -> None:
    """Install packages by pip."""
    if requirements:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *requirements], check=True)


def main() -> None:
    """Install the requirements in pyproject.toml, then those that the backend finds on this machine."""
    # Python 3.10 has no reader of TOML: the list stands on one line that Python can read.
    found = re.search(r"^requires = (\[.*\])$", (HERE.parent / "pyproject.toml").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("pyproject.toml has no line 'requires = [...]'.")
    install(ast.literal_eval(found[1]))

    sys.path.insert(0, str(HERE))
    import compiler_or_zig

    install(compiler_or_zig.get_requires_for_build_editable())


if __name__ == "__main__":
    main()
