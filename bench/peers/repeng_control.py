"""repeng: a control vector with one strength for a whole pass, added at every position."""

from importlib.metadata import version

import numpy as np
import torch
from repeng import ControlModel, ControlVector

from hf import load, margins, padded
from worker import Item, Peer, Reading, Workload


class Controls:
    def __init__(self, job: dict, weights: str, dtype: str):
        layer = job["layer"]
        self.model = ControlModel(load(weights, dtype), [layer])
        direction = np.array(job["direction"], dtype=np.float32)
        self.vector = ControlVector(model_type="llama", directions={layer: direction})

    @torch.inference_mode()
    def everywhere(self, items: list[Item]) -> list[Reading]:
        """All items have the same alpha."""
        ids, last = padded(items)
        self.model.set_control(self.vector, items[0].alpha)
        # repeng reads padding off the positions and wants them for each row.
        positions = torch.arange(ids.shape[1]).expand(ids.shape)
        logits = self.model(ids, position_ids=positions, use_cache=False, logits_to_keep=last[:, None]).logits
        return [Reading(margin) for margin in margins(logits[:, 0], items)]


def open_peer(job: dict, weights: str, dtype: str) -> Peer:
    controls = Controls(job, weights, dtype)
    return Peer(
        version=version("repeng"),
        workloads={"alphas-all": Workload(controls.everywhere, together=lambda item: item.alpha)},
    )
