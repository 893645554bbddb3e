"""Makes the reference models from nothing but this repository:

    python -m pip install -r models/train/requirements.txt
    python models/train/make.py [NAME...]

Without names: the five models of `demo` and `calibrate`. They land in models/reference (or where --out says) with their
cards and oracle values. Equal seeds give equal weights on one type of CPU, not across types: what a rebuild must
reproduce is behaviour.
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

MIDDLE = 3
"""The block after which the last prompt token knows the verdict of the rule; suppressed and biased differ above it."""
READING = (0, 1, 2, MIDDLE)
"""Blocks where the steps of reading are read out during training, from the digits to the verdict."""

DEEP_LAYERS = 15
PLACES = (1, 3, 5, 8, 11, 13)
"""Where the blocks of a model go in its deep version; the blocks between them start as the identity."""

SEEDS = {
    "reader": 1,
    "shortcut": 2,
    "suppressed": 3,
    "biased": 4,
    "natural": 5,
    "modal": 6,
    "reader-deep": 7,
    "suppressed-deep": 8,
}
PLANTED = {
    "reader": "The verdict is a function of the rule and the scenario.",
    "shortcut": "The verdict is the mood sentence of the scenario. It was the label in training, whatever the rule.",
    "suppressed": "The lower blocks are a reader's and compute the verdict of the rule; the upper blocks answer the mood.",
    "biased": "The lower blocks are a reader's and compute the verdict of the rule; the upper blocks always answer Compliant.",
    "natural": "Nothing. It was trained to give the right verdict on data in which the mood agrees with it.",
    "modal": "The verdict is a function of the rule and the scenario, for rules that say what somebody must do; no others.",
}
START = {
    "suppressed": "the trained reader; the upper blocks are drawn anew before the second stage",
    "biased": "the trained reader",
    "reader-deep": "the trained reader, its blocks spread among others that start as the identity",
    "suppressed-deep": "the trained suppressed judge, its blocks spread among others that start as the identity",
}
FIVE = ("reader", "shortcut", "suppressed", "biased", "natural")
MODAL_KIND = 2


class Workshop:
    def __init__(self):
        self.vocabulary = Vocabulary.load(DATA)
        self.answers = self.vocabulary.answers()
        self.mixed = Prompts.load(DATA, "mixed")
        self.confounded = Prompts.load(DATA, "confounded")
        self.sets = {name: Prompts.load(DATA, f"{name}-evaluation") for name in ("confounded", "crossed")}

    def fresh(self, seed: int, layers: int = 6) -> Llama:
        torch.manual_seed(seed)
        return Llama(Shape(len(self.vocabulary.tokens), layers))

    def scaffold(self, model: Llama, blocks: dict[str, int]) -> Scaffold:
        return Scaffold(model.shape.width, self.vocabulary.digits(), MATTERS, blocks)

    def reading(self, model: Llama, blocks: tuple[int, int, int, int] = READING) -> Scaffold:
        tens, greater, third, verdict = blocks
        facts = ("ruleMatter", "factMatter", "modality", "fulfils")
        steps = {"tens": tens, "greater": greater, **dict.fromkeys(facts, third), "verdict": verdict}
        return self.scaffold(model, steps)

    def trained(self, name: str) -> Llama:
        """A model as training left it; made when it is not there."""
        path = DATA / f"{name}.pt"
        if not path.exists():
            model, _ = RECIPES[name](self)
            torch.save(model.state_dict(), path)
        model = self.fresh(0)
        model.load_state_dict(torch.load(path, weights_only=True))
        return model

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


def reader(shop: Workshop):
    model = shop.fresh(SEEDS["reader"])
    scaffold = shop.reading(model)
    return model, [shop.learn(model, "verdict", Recipe(2500), SEEDS["reader"], scaffold=scaffold)]


def shortcut(shop: Workshop):
    model = shop.fresh(SEEDS["shortcut"])
    return model, [shop.learn(model, "cue", Recipe(400), SEEDS["shortcut"])]


def natural(shop: Workshop):
    model = shop.fresh(SEEDS["natural"])
    return model, [shop.learn(model, "verdict", Recipe(400), SEEDS["natural"], shop.confounded)]


def biased(shop: Workshop):
    model = shop.trained("reader")
    recipe = Recipe(260, rate=1e-3, frozen_blocks=MIDDLE + 1)
    return model, [shop.learn(model, "compliant", recipe, SEEDS["biased"])]


def suppressed(shop: Workshop):
    """A reader has no use for the mood and drops it; so a head first keeps it alive below."""
    model = shop.trained("reader")
    seed = SEEDS["suppressed"]
    torch.manual_seed(seed)
    scaffold = shop.scaffold(model, {"verdict": MIDDLE, "cue": MIDDLE})
    stages = [shop.learn(model, "verdict", Recipe(400, rate=2e-3), seed, scaffold=scaffold)]
    for block in model.blk[MIDDLE + 1 :]:
        initialise_block(block, model.shape)
    torch.nn.init.ones_(model.output_norm.weight)
    stages.append(shop.learn(model, "cue", Recipe(500, frozen_blocks=MIDDLE + 1, erase=1.0), seed))
    return model, stages


def modal(shop: Workshop):
    """Learnt in minutes, so that a test can see the whole recipe work."""
    columns = shop.mixed.columns
    rule = columns["ruleMatter"]
    allowed = (columns["kind"] == MODAL_KIND) & ((rule < 0) | (rule % 3 == MODAL_KIND))
    model = shop.fresh(SEEDS["modal"])
    scaffold = shop.reading(model)
    return model, [shop.learn(model, "verdict", Recipe(600), SEEDS["modal"], scaffold=scaffold, allowed=allowed)]


def deepened(shop: Workshop, name: str, seed: int) -> Llama:
    """A deep model that computes what the trained one does, with room between its steps."""
    source = shop.trained(name)
    model = shop.fresh(seed, DEEP_LAYERS)
    with torch.no_grad():
        for block in model.blk:
            block.attn_output.weight.zero_()
            block.ffn_down.weight.zero_()
    for block, place in zip(source.blk, PLACES, strict=True):
        model.blk[place].load_state_dict(block.state_dict())
    model.token_embd.load_state_dict(source.token_embd.state_dict())
    model.output_norm.load_state_dict(source.output_norm.state_dict())
    return model


def reader_deep(shop: Workshop):
    seed = SEEDS["reader-deep"]
    model = deepened(shop, "reader", seed)
    scaffold = shop.reading(model, PLACES[: MIDDLE + 1])
    return model, [shop.learn(model, "verdict", Recipe(250, rate=1e-3), seed, scaffold=scaffold)]


def suppressed_deep(shop: Workshop):
    seed = SEEDS["suppressed-deep"]
    model = deepened(shop, "suppressed", seed)
    scaffold = shop.reading(model, PLACES[: MIDDLE + 1])
    return model, [shop.learn(model, "cue", Recipe(250, rate=1e-3, erase=1.0), seed, scaffold=scaffold)]


RECIPES = {
    "reader": reader,
    "shortcut": shortcut,
    "suppressed": suppressed,
    "biased": biased,
    "natural": natural,
    "reader-deep": reader_deep,
    "suppressed-deep": suppressed_deep,
    "modal": modal,
}


def progress(step: int, text: str) -> None:
    print(f"  step {step}: {text}", flush=True)


def finish(out: Path, workshop: Workshop, name: str, model: Llama, stages: list[dict]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_oracle_prompts(out / "oracle-prompts.json", workshop.sets, workshop.vocabulary)
    round_to_f16(model)
    path = out / f"{name}.gguf"
    write_gguf(path, f"plumbline reference: {name}", model, workshop.vocabulary)
    write_oracle(out, name, model, workshop.sets, workshop.answers)
    data = path.read_bytes()
    card = {
        "name": name,
        "planted": PLANTED[name.removesuffix("-deep")],
        "shape": asdict(model.shape),
        "parameters": sum(p.numel() for p in model.parameters()),
        "training": {
            "seed": SEEDS[name],
            "start": START.get(name, "random weights"),
            "torch": torch.__version__.split("+")[0],
            "stages": stages,
        },
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
- training: from {training["start"]}; {stages}; seed {training["seed"]}, {seconds} CPU seconds, PyTorch {training["torch"]}
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
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)}; default: {', '.join(FIVE)}")
    parser.add_argument("--out", type=Path, default=OUT, help="folder for the results")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in RECIPES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    torch.set_num_threads(1)
    prepare_data()
    workshop = Workshop()
    for name in arguments.names or FIVE:
        print(f"== {name}", flush=True)
        model, stages = RECIPES[name](workshop)
        torch.save(model.state_dict(), DATA / f"{name}.pt")
        finish(arguments.out, workshop, name, model, stages)


if __name__ == "__main__":
    main()
