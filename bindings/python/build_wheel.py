#!/usr/bin/env python3
"""Makes a wheel with Python alone:  build_wheel.py OUT_FOLDER [--library libramus.so.0] [--models FOLDER]

`pip install .` calls it, too (PEP 517), without network. Without a library the wheel is for every system, and finds the
library that is installed there; with one it is for this system. RAMUS_LIBRARY and RAMUS_MODELS say the same to pip.
"""
import argparse
import base64
import hashlib
import os
import re
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIME = (2000, 1, 1, 0, 0, 0)  # the same files give the same wheel


def version():
    header = HERE.parent.parent / "include" / "ramus" / "ramus.h"
    return re.search(r'#define RAMUS_VERSION "(.*)"', header.read_text()).group(1)


def metadata():
    return (f"Metadata-Version: 2.1\nName: ramus-translate\nVersion: {version()}\n"
            "Summary: Neural machine translation on the device\nLicense: Apache-2.0\nRequires-Python: >=3.8\n"
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text(encoding="utf-8"))


def make(folder, library=None, models=None):
    """Returns the name of the wheel."""
    tag = "py3-none-" + (re.sub(r"[-.]", "_", sysconfig.get_platform()) if library else "any")
    info = f"ramus_translate-{version()}.dist-info"
    files = {f"ramus/{path.name}": path.read_bytes() for path in sorted((HERE / "ramus").iterdir()) if path.is_file()}
    files[f"{info}/LICENSE"] = (HERE.parent.parent / "LICENSE").read_bytes()
    if library:
        files[f"ramus/{soname(library)}"] = Path(library).read_bytes()
    for path in sorted(Path(models).iterdir()) if models else []:
        if path.suffix in (".gguf", ".md"):
            files[f"ramus/models/{path.name}"] = path.read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    pure = "false" if library else "true"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ramus\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"ramus_translate-{version()}-{tag}.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def soname(library):
    """The name that the package looks for: libramus.so.0 of libramus.so.0.1.0."""
    return re.sub(r"(\.so\.\d+).*", r"\1", Path(library).resolve().name)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """What pip calls."""
    return make(wheel_directory, os.environ.get("RAMUS_LIBRARY"), os.environ.get("RAMUS_MODELS"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--library", help="the shared library to put into the wheel")
    parser.add_argument("--models", help="folder of models to put into the wheel")
    chosen = parser.parse_args()
    os.makedirs(chosen.folder, exist_ok=True)
    print(os.path.join(chosen.folder, make(chosen.folder, chosen.library, chosen.models)))


if __name__ == "__main__":
    main()
