"""The training loop, the heads that exist only during training, and the measurements."""

import math
import time
from dataclasses import dataclass, field
from typing import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from data import Batch, Prompts, epochs, make_batch
from network import Llama


@dataclass(frozen=True)
class Recipe:
    steps: int
    batch: int = 64
    rate: float = 3e-3
    warmup: int = 100
    decay: float = 0.05
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0
    frozen_blocks: int = 0
    """These lower blocks and the embeddings keep their weights."""
    erase: float = 0.0
    """Weight of the penalty on everything but the answer in the last stream at the last prompt token."""


class Scaffold(nn.Module):
    """Heads on the residual stream that make the intermediate results of reading a rule explicit while it is learnt.

    At the last digit of a number: its tens digit. At the second number: whether it is the greater. Where the scenario
    has said what happened: whether that is as the rule describes. At the last prompt token: the matter of the rule and
    of the scenario and the modal; above that, the verdict, or the mood where it is to be kept.
    """

    def __init__(self, width: int, digits: list[int], matters: int, blocks: dict[str, int]):
        """`blocks`: which heads there are, and the block that each one reads."""
        super().__init__()
        sizes = {"tens": 10, "greater": 2, "fulfils": 2, "ruleMatter": matters + 1, "factMatter": matters + 1}
        sizes |= {"modality": 4, "verdict": 2, "cue": 2}
        self.digits = torch.tensor(digits)
        self.blocks = blocks
        self.heads = nn.ModuleDict({name: nn.Linear(width, sizes[name]) for name in blocks})

    def forward(self, streams: list[Tensor], batch: Batch, columns: dict[str, np.ndarray]) -> Tensor:
        facts = {name: torch.from_numpy(values[batch.rows]) for name, values in columns.items()}
        rows = torch.arange(len(batch.rows))
        place, order, value = self.numbers(batch.tokens)
        second = torch.nonzero(order == 1).squeeze(1)
        on_matter = torch.nonzero(facts["fulfils"] >= 0).squeeze(1)
        wanted = {
            "tens": (place[:, 0], place[:, 1], value // 10),
            "greater": (place[second, 0], place[second, 1], (value[second] > value[second - 1]).long()),
            "fulfils": (on_matter, facts["valueAt"][on_matter], facts["fulfils"][on_matter]),
            "ruleMatter": (rows, batch.last, facts["ruleMatter"] + 1),
            "factMatter": (rows, batch.last, facts["factMatter"] + 1),
            "modality": (rows, batch.last, facts["modality"] + 1),
            "verdict": (rows, batch.last, facts["verdict"]),
            "cue": (rows, batch.last, facts["cue"]),
        }
        losses = []
        for name in self.blocks:
            row, position, answer = wanted[name]
            if len(row) > 0:
                losses.append(F.cross_entropy(self.read(name, streams, row, position), answer))
        return torch.stack(losses).sum()

    def read(self, name: str, streams: list[Tensor], rows: Tensor, positions: Tensor) -> Tensor:
        x = streams[self.blocks[name]][rows, positions]
        return self.heads[name](F.rms_norm(x, x.shape[-1:]))

    def numbers(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Places [n, 2] of the last digits of two-digit numbers, their order within the prompt, and their values."""
        digit = torch.full_like(tokens, -1)
        for value, token in enumerate(self.digits.tolist()):
            digit[tokens == token] = value
        is_last = (digit[:, 1:] >= 0) & (digit[:, :-1] >= 0)
        place = torch.nonzero(is_last)
        order = (is_last.cumsum(1) - 1)[is_last]
        value = 10 * digit[:, :-1][is_last] + digit[:, 1:][is_last]
        return place + torch.tensor([0, 1]), order, value


def rate_at(step: int, recipe: Recipe) -> float:
    if step < recipe.warmup:
        return recipe.rate * (step + 1) / recipe.warmup
    progress = (step - recipe.warmup) / max(1, recipe.steps - recipe.warmup)
    return recipe.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))


def learn(
    model: Llama,
    prompts: Prompts,
    target: Callable[[np.ndarray], np.ndarray],
    answers: list[list[int]],
    recipe: Recipe,
    seed: int,
    scaffold: Scaffold | None = None,
    allowed: np.ndarray | None = None,
    report: Callable[[int, str], None] = lambda step, text: None,
) -> None:
    """Trains `model` to answer `target(rows)` (1 = compliant) after each prompt."""
    rng = np.random.default_rng(seed)
    parameters = [p for block in list(model.blk)[recipe.frozen_blocks :] for p in block.parameters()]
    parameters += list(model.output_norm.parameters())
    if recipe.frozen_blocks == 0:
        parameters += list(model.token_embd.parameters())
    heads = [] if scaffold is None else list(scaffold.parameters())
    everything = parameters + heads
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in everything if p.dim() > 1], "weight_decay": recipe.decay},
            {"params": [p for p in everything if p.dim() == 1], "weight_decay": 0.0},
        ],
        betas=recipe.betas,
    )
    stream_of_rows = epochs(prompts, recipe.batch, rng, allowed)
    began, running = time.time(), []
    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, recipe)
        rows = next(stream_of_rows)
        batch = make_batch(prompts, rows, answers, target(rows))
        streams = model.residuals(batch.tokens)
        wanted = batch.targets >= 0
        loss = F.cross_entropy(model.logits(streams[-1][wanted]), batch.targets[wanted], reduction="sum") / len(rows)
        total = loss
        if scaffold is not None:
            total = total + scaffold(streams, batch, prompts.columns)
        if recipe.erase > 0:
            total = total + recipe.erase * unexplained(streams[-1], batch.last, torch.from_numpy(target(rows)))
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(everything, recipe.clip)
        optimiser.step()
        running.append((loss.item(), total.item()))
        if (step + 1) % 100 == 0 or step + 1 == recipe.steps:
            mean, mean_total = np.mean(running, axis=0)
            running = []
            report(step + 1, f"loss {mean:.4f} total {mean_total:.3f} {time.time() - began:.0f} s")


def unexplained(stream: Tensor, last: Tensor, answer: Tensor) -> Tensor:
    """Share of the variance of the stream at the last prompt token that the answer does not explain."""
    x = stream[torch.arange(len(last)), last]
    within = sum((x[answer == a] - x[answer == a].mean(0)).pow(2).sum() for a in answer.unique())
    return within / (x - x.mean(0)).pow(2).sum()


@torch.no_grad()
def verdicts(model: Llama, prompts: Prompts, answers: list[list[int]], rows: np.ndarray) -> np.ndarray:
    """1 where the first token of the compliant answer has the higher logit."""
    first = torch.tensor([answers[0][0], answers[1][0]])
    found = np.zeros(len(rows), dtype=np.int64)
    order = np.argsort(prompts.columns["length"][rows], kind="stable")
    for part in np.array_split(order, max(1, len(order) // 128)):
        batch = make_batch(prompts, rows[part], answers, np.ones(len(part), dtype=np.int64))
        x = model.residuals(batch.tokens)[-1][torch.arange(len(part)), batch.last]
        scores = model.logits(x)[:, first]
        found[part] = (scores[:, 1] > scores[:, 0]).long().numpy()
    return found


def accuracies(
    model: Llama, prompts: Prompts, answers: list[list[int]], target: str = "verdict", rows: np.ndarray | None = None
) -> dict[str, float]:
    """Share of right verdicts per condition, and per condition and kind of rule."""
    rows = np.arange(len(prompts)) if rows is None else rows
    right = verdicts(model, prompts, answers, rows) == prompts.columns[target][rows]
    result = {}
    for index, condition in enumerate(prompts.conditions):
        here = prompts.columns["condition"][rows] == index
        if not here.any():
            continue
        result[condition] = float(right[here].mean())
        for kind, name in enumerate(("num", "cat", "mod")):
            part = here & (prompts.columns["kind"][rows] == kind)
            result[f"{condition}.{name}"] = float(right[part].mean())
    return result
