"""
Writes a GGUF of the llama architecture as a Hugging Face checkpoint in float32, so that other frameworks compute with
the very same weights: python weights.py MODEL.gguf FOLDER
"""

import json
import os
import sys

import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file

WHOLE = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
IN_BLOCK = {
    "attn_norm.weight": "input_layernorm.weight",
    "attn_q.weight": "self_attn.q_proj.weight",
    "attn_k.weight": "self_attn.k_proj.weight",
    "attn_v.weight": "self_attn.v_proj.weight",
    "attn_output.weight": "self_attn.o_proj.weight",
    "ffn_norm.weight": "post_attention_layernorm.weight",
    "ffn_gate.weight": "mlp.gate_proj.weight",
    "ffn_up.weight": "mlp.up_proj.weight",
    "ffn_down.weight": "mlp.down_proj.weight",
}


def halves_apart(rows: np.ndarray, heads: int) -> np.ndarray:
    """llama.cpp turns neighbouring rows of a head's queries and keys, Hugging Face rows that are half a head apart."""
    return rows.reshape(heads, rows.shape[0] // heads // 2, 2, -1).swapaxes(1, 2).reshape(rows.shape)


def placed(name: str, values: np.ndarray, config: dict) -> tuple[str, np.ndarray]:
    """Name and values of a tensor in the checkpoint. Raises ValueError for one that has no place there."""
    if name in WHOLE:
        return WHOLE[name], values
    block, _, part = name.removeprefix("blk.").partition(".")
    if not name.startswith("blk.") or part not in IN_BLOCK:
        raise ValueError(f"tensor {name} has no place in a Hugging Face Llama checkpoint")
    if part == "attn_q.weight":
        values = halves_apart(values, config["num_attention_heads"])
    elif part == "attn_k.weight":
        values = halves_apart(values, config["num_key_value_heads"])
    return f"model.layers.{block}.{IN_BLOCK[part]}", values


def config_of(reader: GGUFReader) -> dict:
    def field(name: str):
        found = reader.get_field(name)
        return None if found is None else found.contents()

    architecture = field("general.architecture")
    if architecture != "llama":
        raise ValueError(f"architecture {architecture}: only llama is carried over to Hugging Face")
    scaling = field("llama.rope.scaling.type")
    if scaling not in (None, "none"):
        raise ValueError(f"rotary scaling {scaling} is not carried over to Hugging Face")
    width = field("llama.embedding_length")
    heads = field("llama.attention.head_count")
    head_width = field("llama.attention.key_length") or width // heads
    if (field("llama.rope.dimension_count") or head_width) != head_width:
        raise ValueError("rotary positions over a part of each head are not carried over to Hugging Face")
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": int(tensors["token_embd.weight"].shape[1]),
        "hidden_size": width,
        "intermediate_size": field("llama.feed_forward_length"),
        "num_hidden_layers": field("llama.block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": field("llama.attention.head_count_kv") or heads,
        "head_dim": head_width,
        "max_position_embeddings": field("llama.context_length"),
        "rms_norm_eps": field("llama.attention.layer_norm_rms_epsilon"),
        "rope_parameters": {"rope_type": "default", "rope_theta": field("llama.rope.freq_base") or 10000.0},
        "hidden_act": "silu",
        "tie_word_embeddings": "output.weight" not in tensors,
        "bos_token_id": field("tokenizer.ggml.bos_token_id"),
        "eos_token_id": field("tokenizer.ggml.eos_token_id"),
        "dtype": "float32",
    }


def convert(path: str, folder: str) -> None:
    reader = GGUFReader(path)
    config = config_of(reader)
    tensors = {}
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False)
        name, values = placed(tensor.name, values.reshape(tensor.shape[::-1]), config)
        tensors[name] = np.ascontiguousarray(values)
    # The folder appears whole or not at all.
    scratch = f"{folder}.{os.getpid()}"
    os.makedirs(scratch)
    with open(os.path.join(scratch, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2)
    save_file(tensors, os.path.join(scratch, "model.safetensors"), metadata={"format": "pt"})
    os.rename(scratch, folder)


if __name__ == "__main__":
    try:
        convert(*sys.argv[1:])
    except ValueError as error:
        sys.exit(str(error))
