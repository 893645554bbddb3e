"""nnsight: traces of a wrapped Hugging Face model."""

from importlib.metadata import version

import torch
from nnsight import NNsight

from hf import load, margins, padded
from worker import Item, Peer, Reading, Workload


class Traces:
    def __init__(self, job: dict, weights: str, dtype: str):
        self.model = NNsight(load(weights, dtype))
        self.layer = job["layer"]
        self.direction = torch.tensor(job["direction"], dtype=torch.float32)

    @torch.inference_mode()
    def audit(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        with self.model.trace(ids, use_cache=False, logits_to_keep=last[:, None]):
            rows = self.model.model.layers[self.layer].output[every, last].save()
            logits = self.model.lm_head.output[:, 0].save()
        return [
            Reading(*pair)
            for pair in zip(margins(logits, items), (rows.float() @ self.direction).tolist())
        ]

    @torch.inference_mode()
    def ics(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        with self.model.trace(ids, use_cache=False) as tracer:
            rows = self.model.model.layers[self.layer].output[every, last].save()
            tracer.stop()
        return [Reading(projection=value) for value in (rows.float() @ self.direction).tolist()]

    @torch.inference_mode()
    def separate(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        added = torch.tensor([item.alpha for item in items])[:, None] * self.direction
        with self.model.trace(ids, use_cache=False, logits_to_keep=last[:, None]):
            self.model.model.layers[self.layer].output[every, last] += added
            logits = self.model.lm_head.output[:, 0].save()
        return [Reading(margin) for margin in margins(logits, items)]


def open_peer(job: dict, weights: str, dtype: str) -> Peer:
    traces = Traces(job, weights, dtype)
    return Peer(
        version=version("nnsight"),
        workloads={
            "audit": Workload(traces.audit),
            "ics": Workload(traces.ics),
            "alphas-separate": Workload(traces.separate),
        },
    )
