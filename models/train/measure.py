"""What a card states about a model, and the oracle values that the engine is held to."""

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from data import Prompts, Vocabulary
from learn import verdicts
from network import Llama

ORACLE_PROMPTS = 50
STEERING_SHARES = (-0.5, -0.1, 0.1, 0.5)
"""
Lengths of the steering vector over the mean norm of the residual stream at the steered block. A vector as long as the
stream can cancel it, and what is left then is rounding.
"""


def facts(model: Llama, sets: dict[str, Prompts], answers: list[list[int]]) -> dict:
    """Accuracy against the rule and flips against the baseline, per corpus and condition."""
    found = {}
    for name, prompts in sets.items():
        rows = np.arange(len(prompts))
        given = verdicts(model, prompts, answers, rows)
        right = given == prompts.columns["verdict"]
        condition = prompts.columns["condition"]
        # A sample's rows stand together, its baseline first.
        baseline = given[np.maximum.accumulate(np.where(condition == 0, rows, 0))]
        found[name] = {
            prompts.conditions[index]: {
                "prompts": int((condition == index).sum()),
                "right": rounded(right[condition == index].mean()),
                "flips": rounded((given != baseline)[condition == index].mean()),
            }
            for index in range(len(prompts.conditions))
        }
    return found


def rounded(value: float) -> float:
    return round(float(value), 4)


def oracle_rows(sets: dict[str, Prompts]) -> list[tuple[Prompts, int]]:
    """Prompts of both corpora and all conditions, the same ones for every model."""
    rng = np.random.default_rng(0)
    half = ORACLE_PROMPTS // 2
    return [(prompts, int(row)) for prompts in sets.values() for row in sorted(rng.permutation(len(prompts))[:half])]


def write_oracle_prompts(path: Path, sets: dict[str, Prompts], vocabulary: Vocabulary) -> None:
    """Text and token ids of the prompts that all oracle values are about, in their order."""
    prompts = [prompts.prompt(row).tolist() for prompts, row in oracle_rows(sets)]
    content = [{"text": vocabulary.text(tokens), "tokens": tokens} for tokens in prompts]
    path.write_text(json.dumps(content) + "\n")


@torch.no_grad()
def streams_and_logits(model: Llama, prompt: np.ndarray, steer=None) -> tuple[Tensor, Tensor]:
    """Residual streams [layers, width] and logits [vocabulary] at the last token, one prompt at a time."""
    streams = model.residuals(torch.from_numpy(prompt)[None], steer)
    return torch.stack([x[0, -1] for x in streams]), model.logits(streams[-1][0, -1])


def write_oracle(folder: Path, name: str, model: Llama, sets: dict[str, Prompts], answers: list[list[int]]) -> None:
    """NAME.oracle.json and, with the residual streams [prompts, layers, width], NAME.oracle.npy."""
    rows = oracle_rows(sets)
    labels = [answers[1][0], answers[0][0]]
    hidden, readings = [], []
    for prompts, row in rows:
        streams, logits = streams_and_logits(model, prompts.prompt(row))
        hidden.append(streams.numpy())
        readings.append(
            {
                "logits": logits[labels].tolist(),
                "logZ": logits.logsumexp(0).item(),
                "labelLogprobs": [label_logprob(model, prompts.prompt(row), answers[v][:-1]) for v in (1, 0)],
            }
        )
    layer = len(model.blk) // 2
    activations = torch.tensor(np.stack(hidden))[:, layer]
    label = torch.tensor([prompts.columns["verdict"][row] for prompts, row in rows])
    direction = activations[label == 1].mean(0) - activations[label == 0].mean(0)
    direction = direction / direction.norm()
    norm = activations.norm(dim=1).mean().item()
    steering = {
        "layer": layer,
        "direction": direction.tolist(),
        "residualNorm": norm,
        "scopes": {
            scope: [
                {
                    "alpha": share * norm,
                    "logits": [
                        streams_and_logits(model, prompts.prompt(row), adding(layer, share * norm * direction, scope))[1][
                            labels
                        ].tolist()
                        for prompts, row in rows
                    ],
                }
                for share in STEERING_SHARES
            ]
            for scope in ("last", "all")
        },
    }
    np.save(folder / f"{name}.oracle.npy", np.stack(hidden).astype("<f4"))
    content = {"labelTokens": labels, "readings": readings, "steering": steering}
    (folder / f"{name}.oracle.json").write_text(json.dumps(compact(content)) + "\n")


def compact(value):
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {key: compact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [compact(item) for item in value]
    return value


def adding(layer: int, vector: Tensor, scope: str):
    def steer(at: int, x: Tensor) -> Tensor:
        if at != layer:
            return x
        if scope == "all":
            return x + vector
        return torch.cat((x[:, :-1], x[:, -1:] + vector), dim=1)

    return steer


@torch.no_grad()
def label_logprob(model: Llama, prompt: np.ndarray, label: list[int]) -> float:
    tokens = torch.tensor([[*prompt.tolist(), *label]])
    logits = model.logits(model.residuals(tokens)[-1][0, len(prompt) - 1 : -1])
    return logits.log_softmax(-1)[torch.arange(len(label)), label].sum().item()
