"""Prompts as token ids with their facts, as make-training-data.ts writes them."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

ANSWERS = ((" Non", "-", "compliant"), (" Compliant",))
"""Token texts of the answers, by verdict; both are followed by the end token."""


@dataclass(frozen=True)
class Vocabulary:
    tokens: list[str]
    merges: list[str]
    end: int

    @staticmethod
    def load(folder: Path) -> "Vocabulary":
        stored = json.loads((folder / "vocabulary.json").read_text())
        return Vocabulary(stored["tokens"], stored["merges"], stored["endToken"])

    def id(self, text: str) -> int:
        return self.tokens.index(text.replace(" ", "Ġ"))

    def text(self, tokens: list[int]) -> str:
        """Only for ASCII, which is all that the prompts are made of."""
        return "".join(self.tokens[token] for token in tokens).replace("Ġ", " ").replace("Ċ", "\n")

    def answers(self) -> list[list[int]]:
        return [[*(self.id(text) for text in answer), self.end] for answer in ANSWERS]

    def digits(self) -> list[int]:
        return [self.id(str(digit)) for digit in range(10)]


@dataclass(frozen=True)
class Prompts:
    tokens: np.ndarray
    columns: dict[str, np.ndarray]
    conditions: list[str]

    @staticmethod
    def load(folder: Path, name: str) -> "Prompts":
        about = json.loads((folder / f"{name}.json").read_text())
        tokens = np.fromfile(folder / f"{name}.tokens.u16", dtype="<u2").astype(np.int64)
        meta = np.fromfile(folder / f"{name}.meta.i32", dtype="<i4").reshape(about["rows"], -1)
        columns = {column: meta[:, i].astype(np.int64) for i, column in enumerate(about["columns"])}
        return Prompts(tokens, columns, about["conditions"])

    def __len__(self) -> int:
        return len(self.columns["start"])

    def prompt(self, row: int) -> np.ndarray:
        start = self.columns["start"][row]
        return self.tokens[start : start + self.columns["length"][row]]


@dataclass(frozen=True)
class Batch:
    """`tokens` [rows, length] are prompts and answers, padded on the right; `targets` are -1 where no loss is taken."""

    tokens: Tensor
    targets: Tensor
    last: Tensor
    """Position of the last prompt token."""
    rows: np.ndarray


def make_batch(prompts: Prompts, rows: np.ndarray, answers: list[list[int]], verdicts: np.ndarray) -> Batch:
    lengths = prompts.columns["length"][rows]
    width = int(lengths.max()) + max(map(len, answers)) - 1
    tokens = np.zeros((len(rows), width), dtype=np.int64)
    targets = np.full((len(rows), width), -1, dtype=np.int64)
    for i, row in enumerate(rows):
        length, answer = lengths[i], answers[verdicts[i]]
        tokens[i, :length] = prompts.prompt(row)
        tokens[i, length : length + len(answer) - 1] = answer[:-1]
        targets[i, length - 1 : length - 1 + len(answer)] = answer
    return Batch(torch.from_numpy(tokens), torch.from_numpy(targets), torch.from_numpy(lengths - 1), rows)


def epochs(prompts: Prompts, batch: int, rng: np.random.Generator, allowed: np.ndarray | None = None):
    """Batches of row numbers in random order, for ever."""
    rows = np.arange(len(prompts)) if allowed is None else np.flatnonzero(allowed)
    while True:
        order = rng.permutation(rows)
        for begin in range(0, len(order) - batch + 1, batch):
            yield order[begin : begin + batch]
