"""The machine's GPU and nvcc, and the backend chosen by them."""

import os
import re
import shutil
import subprocess

from console import fail


def visible_gpu():
    """The name of the first GPU that programs see; empty if there is none. CUDA_VISIBLE_DEVICES lists indices or UUIDs."""
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, errors="replace", check=False).stdout
    except OSError:
        return ""
    gpus = re.findall(r"^GPU (\d+): (.*) \(UUID: (.*?)\)\n((?:\s.*\n?)*)", listed, re.MULTILINE)  # and its MIG devices
    if "CUDA_VISIBLE_DEVICES" not in os.environ:
        return gpus[0][1] if gpus else ""
    first = os.environ["CUDA_VISIBLE_DEVICES"].partition(",")[0].strip()
    is_first = {  # a UUID may be shortened
        "G": lambda number, uuid, parts: uuid.startswith(first),
        "M": lambda number, uuid, parts: f"(UUID: {first}" in parts or uuid in first,
    }.get(first[:1], lambda number, uuid, parts: number == first)
    return next((name for number, name, uuid, parts in gpus if is_first(number, uuid, parts)), "")


def find_nvcc():
    places = [os.environ.get("CUDACXX", ""), "nvcc", *(os.path.join(os.environ.get(name) or "/nowhere", "bin/nvcc")
                                                       for name in ("CUDA_HOME", "CUDA_PATH")), "/usr/local/cuda/bin/nvcc"]
    return next(filter(None, map(shutil.which, filter(None, places))), "")


def choose_backend(asked):
    """The backend, simulator or gpu, and a line that says why. `asked` is the value of --backend, if it was given."""
    gpu, nvcc = visible_gpu(), find_nvcc()
    if asked:
        backend, why = asked, f"--backend {asked}"
    elif not gpu:
        backend, why = "simulator", "no NVIDIA GPU is visible"
    elif not nvcc:
        backend, why = "simulator", f"a GPU is visible ({gpu}), but nvcc is not installed (CUDA Toolkit)"
    else:
        backend, why = "gpu", gpu
    if backend == "gpu":
        if not nvcc:
            fail(2, "--backend gpu needs nvcc, which is not installed (CUDA Toolkit)")
        os.environ["CUDACXX"] = nvcc
    return backend, f"Running on the {'GPU' if backend == 'gpu' else backend}: {why}."
