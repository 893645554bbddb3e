"""A llama-architecture language model that is small enough to read: RMS norm, rotary positions, SwiGLU, tied head."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

NORM_EPS = 1e-5
ROPE_BASE = 10_000.0


@dataclass(frozen=True)
class Shape:
    vocabulary: int
    layers: int = 6
    width: int = 64
    heads: int = 4
    feed_forward: int = 128


class RmsNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + NORM_EPS) * self.weight


def rotations(length: int, head_width: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the rotary angles, [length, head_width / 2]."""
    frequencies = ROPE_BASE ** (-torch.arange(0, head_width, 2, dtype=torch.float64) / head_width)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), frequencies)
    return angles.cos().float(), angles.sin().float()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turns neighbouring pairs of the last dimension, as llama.cpp does for this architecture."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


class Block(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        width, inner = shape.width, shape.feed_forward
        self.heads = shape.heads
        self.attn_norm = RmsNorm(width)
        self.attn_q = nn.Linear(width, width, bias=False)
        self.attn_k = nn.Linear(width, width, bias=False)
        self.attn_v = nn.Linear(width, width, bias=False)
        self.attn_output = nn.Linear(width, width, bias=False)
        self.ffn_norm = RmsNorm(width)
        self.ffn_gate = nn.Linear(width, inner, bias=False)
        self.ffn_up = nn.Linear(width, inner, bias=False)
        self.ffn_down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        batch, length, width = x.shape
        normed = self.attn_norm(x)
        q, k, v = (
            layer(normed).view(batch, length, self.heads, -1).transpose(1, 2)
            for layer in (self.attn_q, self.attn_k, self.attn_v)
        )
        mixed = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True)
        x = x + self.attn_output(mixed.transpose(1, 2).reshape(batch, length, width))
        normed = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(normed)) * self.ffn_up(normed))


class Llama(nn.Module):
    """Attribute names are the tensor names of a GGUF file."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width)
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = RmsNorm(shape.width)
        self.initialise()

    def initialise(self) -> None:
        nn.init.normal_(self.token_embd.weight, std=0.5)
        for block in self.blk:
            initialise_block(block, self.shape)

    def residuals(self, tokens: Tensor, steer=None) -> list[Tensor]:
        """The residual stream after every block, each [batch, length, width]; `steer(layer, x)` may change it."""
        cos, sin = rotations(tokens.shape[1], self.shape.width // self.shape.heads)
        x = self.token_embd(tokens)
        streams = []
        for layer, block in enumerate(self.blk):
            x = block(x, cos, sin)
            if steer is not None:
                x = steer(layer, x)
            streams.append(x)
        return streams

    def logits(self, x: Tensor) -> Tensor:
        return self.output_norm(x) @ self.token_embd.weight.T


def initialise_block(block: Block, shape: Shape) -> None:
    for name, parameter in block.named_parameters():
        if parameter.dim() == 1:
            nn.init.ones_(parameter)
        else:
            scale = (2 * shape.layers) ** -0.5 if name.startswith(("attn_output", "ffn_down")) else 1.0
            nn.init.normal_(parameter, std=scale * parameter.shape[1] ** -0.5)
