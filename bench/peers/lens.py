"""TransformerLens: hook points on a bridged Hugging Face model."""

from importlib.metadata import version
from tempfile import TemporaryDirectory

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformer_lens.model_bridge import TransformerBridge
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from hf import Reader, load, margins, padded, readings
from worker import Item, Peer, Reading


def unused_tokenizer(folder: str):
    """It insists on a tokenizer, from a folder; the prompts are token ids, so that this one is never asked."""
    words = Tokenizer(WordLevel({"<s>": 0}, unk_token="<s>"))
    marks = {"bos_token": "<s>", "eos_token": "<s>", "pad_token": "<s>"}
    PreTrainedTokenizerFast(tokenizer_object=words, **marks).save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


class Lens(Reader):
    def __init__(self, job: dict, weights: str, dtype: str):
        super().__init__(job)
        model = load(weights, dtype)
        with TemporaryDirectory() as folder:
            self.model = TransformerBridge.boot_transformers(
                weights, hf_model=model, tokenizer=unused_tokenizer(folder)
            )
        self.stop = job["layer"] + 1
        self.point = f"blocks.{job['layer']}.hook_out"

    @torch.inference_mode()
    def audit(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        logits, cache = self.model.run_with_cache(ids, names_filter=self.point, logits_to_keep=last[:, None])
        return readings(margins(logits[:, 0], items), self.project(cache[self.point][every, last]))

    @torch.inference_mode()
    def ics(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        stream = self.model(ids, stop_at_layer=self.stop)
        rows = stream[torch.arange(len(items)), last]
        return [Reading(projection=value) for value in self.project(rows)]

    @torch.inference_mode()
    def separate(self, items: list[Item]) -> list[Reading]:
        ids, last = padded(items)
        every = torch.arange(len(items))
        added = self.added(items)

        def steer(stream, hook):
            stream[every, last] += added.to(stream.dtype)
            return stream

        logits = self.model.run_with_hooks(ids, fwd_hooks=[(self.point, steer)], logits_to_keep=last[:, None])
        return [Reading(margin) for margin in margins(logits[:, 0], items)]


def open_peer(job: dict, weights: str, dtype: str) -> Peer:
    lens = Lens(job, weights, dtype)
    return Peer(
        version=version("transformer-lens"),
        workloads=lens.workloads(),
    )
