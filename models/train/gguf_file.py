"""Writes a model as GGUF with its matrices in F16."""

from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, TokenType

from data import Vocabulary
from network import NORM_EPS, ROPE_BASE, Llama

CONTEXT_LENGTH = 1024


def round_to_f16(model: Llama) -> None:
    """Gives the matrices the values that an F16 file holds."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.copy_(parameter.half().float())


def write_gguf(path: Path, name: str, model: Llama, vocabulary: Vocabulary) -> None:
    shape = model.shape
    writer = GGUFWriter(path, "llama")
    writer.add_name(name)
    writer.add_license("apache-2.0")
    writer.add_file_type(LlamaFileType.MOSTLY_F16)
    writer.add_block_count(shape.layers)
    writer.add_context_length(CONTEXT_LENGTH)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_layer_norm_rms_eps(NORM_EPS)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    writer.add_rope_freq_base(ROPE_BASE)

    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(vocabulary.tokens)
    kinds = [TokenType.CONTROL if i == vocabulary.end else TokenType.NORMAL for i in range(len(vocabulary.tokens))]
    writer.add_token_types(kinds)
    writer.add_token_merges(vocabulary.merges)
    writer.add_eos_token_id(vocabulary.end)
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)

    for key, parameter in model.named_parameters():
        values = parameter.detach().numpy()
        if parameter.dim() > 1:
            writer.add_tensor(key, values.astype(np.float16), raw_dtype=GGMLQuantizationType.F16)
        else:
            writer.add_tensor(key, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
