"""Manifests of the kernels in kernels/simple_gemm.cu, and an artifact of them."""

import os

import bsmm

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")


def _manifest(entry, problem, params, **keys):
    return {
        "schema": "bsmm.launch/1",
        "document": "kernel",
        "entry": entry,
        "ptx": "kernel.ptx",
        "target": "sm_90a",
        "grid": {"rule": "tile_grid"},
        "block": [256, 1, 1],
        "cluster": [1, 1, 1],
        "dynamic_smem": 0,
        "tile": {"m": 16, "n": 16, "k": 1},
        "problem": problem,
        "numerics": {"accumulate": "f32", "promote_every": 1},
        "shapes": {"L": {"max": 1}},
        "params": params,
        **keys,
    }


def _pointers(*roles):
    return [{"pointer": role} for role in roles]


def _sizes():
    return [{"i32": size} for size in "MNK"]


def _pitches(*roles):
    return [{"i64": {"pitch": role}} for role in roles]


def manifests():
    """By entry."""
    rows = {"a": "e4m3", "b": "e4m3", "out": "bf16", "row_scales": "f32"}
    tensor = {"a": "e5m2", "b": "e4m3", "out": "f32", "row_scales": "tensor"}
    half = {"a": "f16", "b": "f16", "out": "f16", "c": "f16"}
    strides = [
        {"i64": {kind: role}}
        for role in "abcd"
        for kind in ("pitch", "batch_stride")
    ]
    return [
        _manifest(
            "fp8_rows",
            rows,
            _pointers("a", "b", "d", "sa", "sb") + _sizes() + _pitches("a", "b", "d"),
        ),
        _manifest(
            "fp8_rows_bias",
            {**rows, "bias": "bf16"},
            _pointers("a", "b", "d", "sa", "sb", "bias")
            + _sizes()
            + _pitches("a", "b", "d"),
        ),
        _manifest(
            "fp8_tensor",
            tensor,
            _pointers("a", "b", "d", "sa", "sb") + _sizes() + _pitches("a", "b", "d"),
        ),
        _manifest(
            "half_batched",
            half,
            _pointers("a", "b", "c", "d")
            + _sizes()
            + strides
            + [{"f32": name} for name in ("alpha", "beta", "out_scale")],
            shapes={},
        ),
    ]


def ptx():
    """The code of all of them."""
    with open(os.path.join(_FOLDER, "simple_gemm.ptx"), encoding="utf-8") as file:
        return file.read()


def write(path):
    """Writes an artifact of the kernels that are right."""
    code = ptx()
    bsmm.write_artifact(
        path, [{"manifest": manifest, "ptx": code} for manifest in manifests()]
    )
    return path
