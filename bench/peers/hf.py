"""Forward hooks on a Hugging Face model: the plain way to read and steer a residual stream in PyTorch."""

import torch
import transformers
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, DynamicCache

from worker import Item, Peer, Reading, Workload

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def load(weights: str, dtype: str):
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    return AutoModelForCausalLM.from_pretrained(weights, dtype=DTYPES[dtype]).eval()


def padded(items: list[Item]) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids padded on the right, where a causal model needs no mask, and the position of each last token."""
    ids = pad_sequence([torch.tensor(item.ids) for item in items], batch_first=True)
    return ids, torch.tensor([len(item.ids) - 1 for item in items])


def margins(logits: torch.Tensor, items: list[Item]) -> list[float]:
    """Label A minus label B, from one row of logits for each item."""
    labels = torch.tensor([item.labels for item in items])
    first, second = logits.float().gather(1, labels).unbind(1)
    return (first - second).tolist()


def readings(read: list[float], projections: list[float]) -> list[Reading]:
    return [Reading(*pair) for pair in zip(read, projections, strict=True)]


class Reader:
    """Reads a residual stream along the job's direction and adds to it; how, its subclasses say."""

    def __init__(self, job: dict):
        self.direction = torch.tensor(job["direction"], dtype=torch.float32)

    def project(self, rows: torch.Tensor) -> list[float]:
        return (rows.float() @ self.direction).tolist()

    def added(self, items: list[Item]) -> torch.Tensor:
        """Each item's alpha times the direction."""
        return torch.tensor([item.alpha for item in items])[:, None] * self.direction

    def workloads(self) -> dict[str, Workload]:
        return {
            "audit": Workload(self.audit),
            "ics": Workload(self.ics),
            "alphas-separate": Workload(self.separate),
        }


class Stop(Exception):
    """Ends a forward pass whose rest is not wanted."""


class Hooks(Reader):
    def __init__(self, job: dict, model):
        super().__init__(job)
        self.model = model
        self.block = model.model.layers[job["layer"]]

    def hidden(self, ids: torch.Tensor, hook, **more) -> torch.Tensor:
        handle = self.block.register_forward_hook(hook)
        try:
            return self.model.model(ids, **more).last_hidden_state
        finally:
            handle.remove()

    @torch.inference_mode()
    def audit(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        seen = []
        hidden = self.hidden(ids, lambda _, __, output: seen.append(output[every, last]), use_cache=False)
        return readings(margins(self.model.lm_head(hidden[every, last]), items), self.project(seen[0]))

    @torch.inference_mode()
    def ics(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        seen = []

        def read(_, __, output):
            seen.append(output[torch.arange(len(items)), last])
            raise Stop

        try:
            self.hidden(ids, read, use_cache=False)
        except Stop:
            pass
        return [Reading(projection=value) for value in self.project(seen[0])]

    def steer(self, items: list[Item], last: torch.Tensor):
        """A hook that adds each item's alpha times the direction to its last row."""
        added = self.added(items)

        def hook(_, __, output):
            output[torch.arange(len(items)), last] += added.to(output.dtype)
            return output

        return hook

    @torch.inference_mode()
    def separate(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        hidden = self.hidden(ids, self.steer(items, last), use_cache=False)
        rows = hidden[torch.arange(len(items)), last]
        return [Reading(margin) for margin in margins(self.model.lm_head(rows), items)]

    @torch.inference_mode()
    def shared_prefix(self, items: list[Item]) -> list[Reading]:
        """All items are of one prompt: its keys and values without the last token are computed once and copied."""
        ids = torch.tensor(items[0].ids)
        cache = DynamicCache(config=self.model.config)
        self.model.model(ids[None, :-1], cache=cache, use_cache=True)
        cache.batch_repeat_interleave(len(items))
        last = torch.zeros(len(items), dtype=torch.long)
        tails = ids[-1:].expand(len(items), 1)
        hidden = self.hidden(tails, self.steer(items, last), cache=cache, use_cache=True)
        return [Reading(margin) for margin in margins(self.model.lm_head(hidden[:, 0]), items)]


def open_peer(job: dict, weights: str, dtype: str) -> Peer:
    hooks = Hooks(job, load(weights, dtype))
    return Peer(
        version=transformers.__version__,
        workloads=hooks.workloads()
        | {"alphas-shared-prefix": Workload(hooks.shared_prefix, lambda item: item.prompt, whole=True)},
    )
