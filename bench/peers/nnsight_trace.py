"""nnsight: traces of a wrapped Hugging Face model."""

from importlib.metadata import version

import torch
from nnsight import NNsight

from hf import Reader, load, margins, padded, readings
from worker import Item, Peer, Reading


class Traces(Reader):
    def __init__(self, job: dict, weights: str, dtype: str):
        super().__init__(job)
        self.model = NNsight(load(weights, dtype))
        self.layer = job["layer"]

    @torch.inference_mode()
    def audit(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        with self.model.trace(ids, use_cache=False, logits_to_keep=last[:, None]):
            rows = self.model.model.layers[self.layer].output[every, last].save()
            logits = self.model.lm_head.output[:, 0].save()
        return readings(margins(logits, items), self.project(rows))

    @torch.inference_mode()
    def ics(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        with self.model.trace(ids, use_cache=False) as tracer:
            rows = self.model.model.layers[self.layer].output[every, last].save()
            tracer.stop()
        return [Reading(projection=value) for value in self.project(rows)]

    @torch.inference_mode()
    def separate(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        added = self.added(items)
        with self.model.trace(ids, use_cache=False, logits_to_keep=last[:, None]):
            self.model.model.layers[self.layer].output[every, last] += added
            logits = self.model.lm_head.output[:, 0].save()
        return [Reading(margin) for margin in margins(logits, items)]


def open_peer(job: dict, weights: str, dtype: str) -> Peer:
    traces = Traces(job, weights, dtype)
    return Peer(
        version=version("nnsight"),
        workloads=traces.workloads(),
    )
