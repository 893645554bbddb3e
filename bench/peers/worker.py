"""
One peer in its own process, on one CPU thread: python worker.py MODULE DTYPE JOB.json WEIGHTS

Speaks JSON lines: `{"ready": …}` once it is loaded, then for every `{"workload": NAME}` on stdin one line with the
readings, and the CPU seconds and wall time of the work alone. A module has `open_peer(job, weights, dtype)`, which
gives a Peer. A fault ends the process: its last line on stderr is the reason.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", HF_HUB_OFFLINE="1", WANDB_MODE="disabled")

import importlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

SIZES = (1, 4, 8, 16)
TRIAL = 16
"""Items that the batch size is tried on."""
WORSE = 1.05
"""A larger batch that costs so much more than the best ends the trial."""


@dataclass(frozen=True)
class Item:
    prompt: int
    ids: list[int]
    labels: tuple[int, int]
    alpha: float


@dataclass(frozen=True)
class Reading:
    """What a workload does not give stays None."""

    margin: float | None = None
    projection: float | None = None


@dataclass(frozen=True)
class Workload:
    run: Callable[[list[Item]], list[Reading]]
    together: Callable[[Item], object] | None = None
    """Only items with the same value share a batch; a batch of one prompt's items is never divided."""
    whole: bool = False


@dataclass(frozen=True)
class Peer:
    version: str
    workloads: dict[str, Workload]
    sizes: tuple[int, ...] = SIZES


def items_of(job: dict, workload: str) -> list[Item]:
    def item(index: int, alpha: float) -> Item:
        prompt = job["prompts"][index]
        return Item(index, prompt["ids"], tuple(prompt["labels"]), alpha)

    if workload.startswith("alphas"):
        alphas = job["alphas"]
        return [item(index, alpha) for index in alphas["prompts"] for alpha in alphas["values"]]
    return [item(index, 0.0) for index in job[workload]]


def batches(items: list[Item], workload: Workload, size: int) -> list[list[int]]:
    """Indices of the items of each batch, of like lengths, so that little is padded."""

    def key(index: int):
        return workload.together(items[index]) if workload.together else 0

    order = sorted(range(len(items)), key=lambda index: (key(index), len(items[index].ids)))
    made = []
    for _, group in groupby(order, key):
        indices = list(group)
        step = len(indices) if workload.whole else size
        made += [indices[start : start + step] for start in range(0, len(indices), step)]
    return made


def run(items: list[Item], workload: Workload, size: int) -> list[Reading]:
    readings: list[Reading | None] = [None] * len(items)
    for indices in batches(items, workload, size):
        for index, reading in zip(indices, workload.run([items[i] for i in indices]), strict=True):
            readings[index] = reading
    return readings


def best_size(job: dict, name: str, workload: Workload, sizes: tuple[int, ...]) -> int:
    """The batch size that costs least CPU time on a few items of all lengths, all of which may share a batch."""
    items = sorted(items_of(job, name), key=lambda item: len(item.ids))
    if workload.together:
        alike = workload.together(items[0])
        items = [item for item in items if workload.together(item) == alike]
    stride = max(1, len(items) // TRIAL)
    items = items[::stride][:TRIAL]
    workload.run(items[:1])  # the first pass of a process costs more
    best, least = sizes[0], float("inf")
    for size in sizes if len(sizes) > 1 else ():
        began = time.process_time()
        run(items, workload, size)
        spent = time.process_time() - began
        if spent < least:
            best, least = size, spent
        elif spent > WORSE * least:
            break
    return best


def measure(job: dict, name: str, workload: Workload, size: int) -> dict:
    items = items_of(job, name)
    cpu, wall = time.process_time(), time.perf_counter()
    readings = run(items, workload, size)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    answer = {"workload": name, "cpuSeconds": cpu, "wallSeconds": wall, "batch": size}
    if readings[0].margin is not None:
        answer["margins"] = [reading.margin for reading in readings]
    if readings[0].projection is not None:
        answer["projections"] = [reading.projection for reading in readings]
    return answer


def main() -> None:
    module, dtype, job_file, weights = sys.argv[1:]
    # Libraries print where they like; the protocol keeps standard output for itself.
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(message: dict) -> None:
        protocol.write(json.dumps(message) + "\n")
        protocol.flush()

    with open(job_file, encoding="utf-8") as file:
        job = json.load(file)
    began = time.perf_counter()
    peer = importlib.import_module(module).open_peer(job, weights, dtype)
    loaded = time.perf_counter() - began
    torch = sys.modules.get("torch")
    version = peer.version if torch is None else f"{peer.version} on torch {torch.__version__}"
    say({"ready": version, "workloads": list(peer.workloads), "loadSeconds": loaded})
    size = None
    for line in sys.stdin:
        name = json.loads(line)["workload"]
        workload = peer.workloads[name]
        if workload.whole:
            say(measure(job, name, workload, len(job["alphas"]["values"])))
            continue
        if size is None:
            size = best_size(job, name, workload, peer.sizes)
        say(measure(job, name, workload, size))


if __name__ == "__main__":
    main()
