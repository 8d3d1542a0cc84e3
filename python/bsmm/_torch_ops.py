"""Custom torch operators. Importing this registers them."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

from ._errors import InvalidArgument
from ._runtime import _kernels, _TORCH_TYPES
from ._scaled_mm import _check_matrices, _out_element, _run

_ELEMENT_OF_DTYPE = {
    getattr(torch, name): element for element, name in _TORCH_TYPES.items()
}


def out_dtype(dtype: Any, mat1: Tensor) -> torch.dtype:
    """The torch type of an output, from whatever the caller gave."""
    if isinstance(dtype, torch.dtype) and dtype in _ELEMENT_OF_DTYPE:
        return dtype
    return getattr(torch, _TORCH_TYPES[_out_element(dtype, mat1)])


def _new_output(mat1: Tensor, mat2: Tensor, dtype: torch.dtype) -> Tensor:
    """[M, N] with rows that are whole 16 bytes apart, as TMA stores need them.

    Compiled code relies on the strides that the fake implementation gives, so
    that they cannot depend on the kernel.
    """
    step = 16 // dtype.itemsize
    columns = mat2.shape[1]
    padded = (columns + step - 1) // step * step
    return mat1.new_empty((mat1.shape[0], padded), dtype=dtype)[:, :columns]


@torch.library.custom_op("bsmm::scaled_mm", mutates_args=())
def _scaled_mm(
    mat1: Tensor,
    mat2: Tensor,
    scale_a: Tensor,
    scale_b: Tensor,
    bias: Optional[Tensor],
    out_dtype: torch.dtype,
    out_scale: float,
    use_fast_accum: bool,
) -> Tensor:
    _check_matrices(tuple(mat1.shape), tuple(mat2.shape))
    return _run(
        mat1,
        mat2,
        scale_a,
        scale_b,
        bias,
        _ELEMENT_OF_DTYPE[out_dtype],
        out_scale,
        use_fast_accum,
        None,
        _new_output(mat1, mat2, out_dtype),
    )


@_scaled_mm.register_fake
def _(mat1, mat2, scale_a, scale_b, bias, out_dtype, out_scale, use_fast_accum):
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.dim() != 2:
            raise InvalidArgument(
                f"{name}: expected two dimensions, got shape {list(matrix.shape)}"
            )
    torch._check(
        mat1.shape[1] == mat2.shape[0],
        lambda: f"mat2: expected {mat1.shape[1]} rows, got {mat2.shape[0]}",
    )
    return _new_output(mat1, mat2, out_dtype)


scaled_mm = torch.ops.bsmm.scaled_mm.default


@torch.library.custom_op("bsmm::launch", mutates_args=("out",))
def _launch(
    handle: int,
    a: Tensor,
    sfa: Optional[Tensor],
    b: Tensor,
    sfb: Optional[Tensor],
    c: Optional[Tensor],
    sa: Optional[Tensor],
    sb: Optional[Tensor],
    bias: Optional[Tensor],
    out: Tensor,
    alpha: float,
    beta: float,
    out_scale: float,
    k: int,
    precise_sums: bool = False,
) -> None:
    kernel = _kernels.get(handle)
    if kernel is None:
        raise InvalidArgument(
            "the kernel that this code was compiled with is gone: keep its artifact"
        )
    operands = (a, b) if sfa is None else (a, sfa, b, sfb)
    kernel(
        *operands,
        out=out,
        c=c,
        sa=sa,
        sb=sb,
        bias=bias,
        alpha=alpha,
        beta=beta,
        out_scale=out_scale,
        k=None if k < 0 else k,
        precise_sums=precise_sums,
    )


@_launch.register_fake
def _(
    handle, a, sfa, b, sfb, c, sa, sb, bias, out, alpha, beta, out_scale, k,
    precise_sums=False,
):
    return None


launch = torch.ops.bsmm.launch.default
