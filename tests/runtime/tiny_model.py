"""Language models of a few hundred kilobytes in the GGUF format, made in a moment.

They have bytes and letters as their vocabulary. Real servers run them like any other.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

_SPECIAL = ("<unk>", "<s>", "</s>")
_BYTES = tuple(f"<0x{code:02X}>" for code in range(256))
_ALPHABET = (*_BYTES, "\n", *(chr(code) for code in range(32, 127)))
_TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
_WIDTH, _HEADS, _INNER = 64, 4, 128

Weights = dict[str, np.ndarray[Any, np.dtype[np.float32]]]


def write_random_model(path: Path, seed: int = 0) -> None:
    """One that says anything in ASCII: all weights are random."""
    tokens = (*_SPECIAL, *_ALPHABET)
    random = np.random.default_rng(seed)
    width, inner = _WIDTH, _INNER

    def matrix(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    weights = {f"blk.0.attn_{name}.weight": matrix(width, width) for name in "qkv"}
    weights |= {
        "blk.0.attn_output.weight": matrix(width, width),
        "blk.0.ffn_gate.weight": matrix(inner, width),
        "blk.0.ffn_up.weight": matrix(inner, width),
        "blk.0.ffn_down.weight": matrix(width, inner),
        "token_embd.weight": matrix(len(tokens), width),
        "output.weight": matrix(len(tokens), width),
    }
    weights["output.weight"][: tokens.index("\n")] = 0.0
    _write(path, tokens, weights, width, inner)


def write_taught_model(path: Path, reply: str) -> None:
    """One that has learned one reply by heart, whatever it is asked.

    Each piece of the reply is a token of its own; the weights say which follows which.
    """
    pieces = _pieces(reply)
    tokens = (*_SPECIAL, *_ALPHABET, *pieces)
    width = 32 * -(-len(tokens) // 32)
    inner = 32
    numbers = [tokens.index(piece) for piece in pieces]
    after = np.full(len(tokens), numbers[0])
    after[numbers] = [*numbers[1:], tokens.index("</s>")]
    output = np.zeros((len(tokens), width), np.float32)
    output[after, np.arange(len(tokens))] = 1.0
    weights = {
        f"blk.0.attn_{name}.weight": np.zeros((width, width), np.float32)
        for name in ("q", "k", "v", "output")
    }
    weights |= {
        "blk.0.ffn_gate.weight": np.zeros((inner, width), np.float32),
        "blk.0.ffn_up.weight": np.zeros((inner, width), np.float32),
        "blk.0.ffn_down.weight": np.zeros((width, inner), np.float32),
        "token_embd.weight": np.eye(len(tokens), width, dtype=np.float32),
        "output.weight": output,
    }
    _write(path, tokens, weights, width, inner)


def _pieces(reply: str) -> list[str]:
    """The reply in pieces that are all different and no letters of the alphabet."""
    for length in range(12, len(reply) + 1):
        pieces = [reply[start : start + length] for start in range(0, len(reply), length)]
        if len(set(pieces)) == len(pieces) and all(len(piece) > 1 for piece in pieces):
            return pieces
    return [reply]


def _write(path: Path, tokens: tuple[str, ...], weights: Weights, width: int, inner: int) -> None:
    gguf: Any = import_module("gguf")
    kinds = gguf.TokenType
    types = [kinds.BYTE if token in _BYTES else kinds.NORMAL for token in tokens]
    types[: len(_SPECIAL)] = [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL]
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(16384)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // _HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token.replace(" ", "\N{LOWER ONE EIGHTH BLOCK}") for token in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(_TEMPLATE)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
    for name, values in weights.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
