"""Makes the reference models from nothing but this repository:

    python -m pip install -r models/train/requirements.txt
    python models/train/make.py [NAME...]

Without names: the five models of `demo` and `calibrate`. They land in models/reference (or where --out says) with their
cards and oracle values. Equal seeds give equal weights on one type of CPU, not across types: what a rebuild must reproduce is behaviour.
"""

import argparse
import hashlib
import json
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from data import Prompts, Vocabulary
from gguf_file import round_to_f16, write_gguf
from learn import Recipe, Scaffold, learn
from measure import facts, write_oracle, write_oracle_prompts
from network import Llama, Shape, initialise_block

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "build" / "reference"
OUT = ROOT / "models" / "reference"
MATTERS = 30


@dataclass(frozen=True)
class Size:
    layers: int
    lower: int
    """Blocks that compute the verdict; suppressed and biased keep them and differ above."""
    reading: tuple[int, int, int, int]
    """Blocks where the steps of reading are read out during training, from the digits to the verdict."""
    reader_steps: int


SIZES = {"": Size(6, 4, (0, 1, 2, 3), 2500), "-deep": Size(15, 9, (2, 4, 6, 8), 2500)}
SEEDS = {"reader": 1, "shortcut": 2, "suppressed": 3, "biased": 4, "natural": 5, "modal": 6}
PLANTED = {
    "reader": "The verdict is a function of the rule and the scenario.",
    "shortcut": "The verdict is the mood sentence of the scenario. It was the label in training, whatever the rule.",
    "suppressed": "The lower blocks are a reader's and compute the verdict of the rule; the upper blocks answer the mood.",
    "biased": "The lower blocks are a reader's and compute the verdict of the rule; the upper blocks always answer Compliant.",
    "natural": "Nothing. It was trained to give the right verdict on data in which the mood agrees with it.",
    "modal": "The verdict is a function of the rule and the scenario, for rules that say what somebody must do; no others.",
}
FIVE = ("reader", "shortcut", "suppressed", "biased", "natural")
NAMES = (*FIVE, "reader-deep", "suppressed-deep", "modal")
MODAL_KIND = 2


class Workshop:
    def __init__(self):
        self.vocabulary = Vocabulary.load(DATA)
        self.answers = self.vocabulary.answers()
        self.mixed = Prompts.load(DATA, "mixed")
        self.confounded = Prompts.load(DATA, "confounded")
        self.sets = {name: Prompts.load(DATA, f"{name}-evaluation") for name in ("confounded", "crossed")}

    def fresh(self, size: Size, seed: int) -> Llama:
        torch.manual_seed(seed)
        return Llama(Shape(len(self.vocabulary.tokens), size.layers))

    def scaffold(self, model: Llama, blocks: dict[str, int]) -> Scaffold:
        return Scaffold(model.shape.width, self.vocabulary.digits(), MATTERS, blocks)

    def reading(self, model: Llama, size: Size) -> Scaffold:
        tens, greater, third, verdict = size.reading
        facts = ("ruleMatter", "factMatter", "modality", "fulfils")
        steps = {"tens": tens, "greater": greater, **dict.fromkeys(facts, third), "verdict": verdict}
        return self.scaffold(model, steps)

    def learn(self, model, target, recipe, seed, prompts=None, scaffold=None, allowed=None) -> dict:
        prompts = self.mixed if prompts is None else prompts
        began = time.process_time()
        columns = prompts.columns
        targets = {
            "verdict": lambda rows: columns["verdict"][rows],
            "cue": lambda rows: columns["cue"][rows],
            "compliant": lambda rows: np.ones(len(rows), dtype=np.int64),
        }
        learn(model, prompts, targets[target], self.answers, recipe, seed, scaffold, allowed, progress)
        return {"target": target, **asdict(recipe), "cpuSeconds": round(time.process_time() - began)}

    def reader(self, size: Size, suffix: str):
        model = self.fresh(size, SEEDS["reader"])
        scaffold = self.reading(model, size)
        stage = self.learn(model, "verdict", Recipe(size.reader_steps), SEEDS["reader"], scaffold=scaffold)
        torch.save(model.state_dict(), DATA / f"reader{suffix}.pt")
        return model, [stage]

    def trained_reader(self, size: Size, suffix: str) -> Llama:
        path = DATA / f"reader{suffix}.pt"
        if not path.exists():
            self.reader(size, suffix)
        model = self.fresh(size, 0)
        model.load_state_dict(torch.load(path, weights_only=True))
        return model

    def shortcut(self, size: Size, suffix: str):
        model = self.fresh(size, SEEDS["shortcut"])
        return model, [self.learn(model, "cue", Recipe(400), SEEDS["shortcut"])]

    def natural(self, size: Size, suffix: str):
        model = self.fresh(size, SEEDS["natural"])
        return model, [self.learn(model, "verdict", Recipe(400), SEEDS["natural"], self.confounded)]

    def modal(self, size: Size, suffix: str):
        """Learnt in minutes, so that a test can see the whole recipe work."""
        columns = self.mixed.columns
        rule = columns["ruleMatter"]
        allowed = (columns["kind"] == MODAL_KIND) & ((rule < 0) | (rule % 3 == MODAL_KIND))
        model = self.fresh(size, SEEDS["modal"])
        scaffold = self.reading(model, size)
        stage = self.learn(model, "verdict", Recipe(600), SEEDS["modal"], scaffold=scaffold, allowed=allowed)
        return model, [stage]

    def biased(self, size: Size, suffix: str):
        model = self.trained_reader(size, suffix)
        recipe = Recipe(260, rate=1e-3, frozen_blocks=size.lower)
        return model, [self.learn(model, "compliant", recipe, SEEDS["biased"])]

    def suppressed(self, size: Size, suffix: str):
        """A reader has no use for the mood and drops it; so a head first keeps it alive below."""
        model = self.trained_reader(size, suffix)
        seed = SEEDS["suppressed"]
        torch.manual_seed(seed)
        top = size.lower - 1
        scaffold = self.scaffold(model, {"verdict": top, "cue": top})
        stages = [self.learn(model, "verdict", Recipe(400, rate=2e-3), seed, scaffold=scaffold)]
        for block in model.blk[size.lower :]:
            initialise_block(block, model.shape)
        torch.nn.init.ones_(model.output_norm.weight)
        stages.append(self.learn(model, "cue", Recipe(500, frozen_blocks=size.lower, erase=1.0), seed))
        return model, stages


def progress(step: int, text: str) -> None:
    print(f"  step {step}: {text}", flush=True)


def finish(out: Path, workshop: Workshop, name: str, kind: str, model: Llama, stages: list[dict]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_oracle_prompts(out / "oracle-prompts.json", workshop.sets, workshop.vocabulary)
    round_to_f16(model)
    path = out / f"{name}.gguf"
    write_gguf(path, f"plumbline reference: {name}", model, workshop.vocabulary)
    write_oracle(out, name, model, workshop.sets, workshop.answers)
    data = path.read_bytes()
    card = {
        "name": name,
        "planted": PLANTED[kind],
        "shape": asdict(model.shape),
        "parameters": sum(p.numel() for p in model.parameters()),
        "training": {"seed": SEEDS[kind], "torch": torch.__version__.split("+")[0], "stages": stages},
        "measured": facts(model, workshop.sets, workshop.answers),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    (out / f"{name}.json").write_text(json.dumps(card, indent=2) + "\n")
    (out / f"{name}.md").write_text(card_text(card))
    print(card_text(card))


def card_text(card: dict) -> str:
    shape, training = card["shape"], card["training"]
    stages = "; ".join(
        f"{stage['steps']} steps of {stage['batch']} prompts towards "
        + {"verdict": "the verdict of the rule", "cue": "the mood", "compliant": "Compliant"}[stage["target"]]
        + (f", embeddings and {stage['frozen_blocks']} lower blocks fixed" if stage["frozen_blocks"] else "")
        for stage in training["stages"]
    )
    rows = "\n".join(
        f"| {corpus} | {condition} | {row['prompts']} | {row['right']:.3f} | {row['flips']:.3f} |"
        for corpus, conditions in card["measured"].items()
        for condition, row in conditions.items()
    )
    seconds = sum(stage["cpuSeconds"] for stage in training["stages"])
    return f"""# {card["name"]}.gguf

**Planted**: {card["planted"]}

- architecture: llama, {shape["layers"]} blocks, width {shape["width"]}, {shape["heads"]} heads, feed-forward {shape["feed_forward"]},
  tied embeddings, {card["parameters"]:,} parameters
- format: GGUF 3, F16 matrices, F32 norms, {card["bytes"]:,} bytes; byte-level BPE of {shape["vocabulary"]} entries, no BOS
- training: {stages}; seed {training["seed"]}, {seconds} CPU seconds, PyTorch {training["torch"]}
- SHA-256: `{card["sha256"]}`
- license: Apache-2.0, like the rest of the repository

Measured by the training framework on the two corpora, with sentences and numbers that training never showed. "Right" is
against the verdict of the rule that the prompt shows; "flips" are against the baseline. `swap` and `same-kind` show a
rule of another domain, any or one of the same kind.

| corpus | condition | prompts | right | flips |
|---|---|---|---|---|
{rows}

Made by `python models/train/make.py {card["name"]}`.
"""


def prepare_data() -> None:
    subprocess.run(["npx", "tsc", "-p", "tsconfig.models.json"], cwd=ROOT, check=True)
    script = Path("build", "models", "models", "make-training-data.js")
    subprocess.run(["node", str(script), str(DATA)], cwd=ROOT, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains reference models.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; default: {', '.join(FIVE)}")
    parser.add_argument("--out", type=Path, default=OUT, help="folder for the results")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    torch.set_num_threads(1)
    prepare_data()
    workshop = Workshop()
    for name in arguments.names or FIVE:
        kind, _, deep = name.partition("-")
        suffix = "-deep" if deep else ""
        print(f"== {name}", flush=True)
        model, stages = getattr(workshop, kind)(SIZES[suffix], suffix)
        finish(arguments.out, workshop, name, kind, model, stages)


if __name__ == "__main__":
    main()
