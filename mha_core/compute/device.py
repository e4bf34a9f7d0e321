"""Where a trace runs, and in which floating-point type."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from mha_core.errors import N_, DeviceError

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cuda", "mps", "cpu")
DTYPES = ("float64", "float32")


@dataclass(frozen=True, slots=True)
class Backend:
    """A device ("cuda", "mps" or "cpu") and a dtype ("float64" or "float32") of torch."""

    device: str
    dtype: str

    @property
    def torch_dtype(self) -> torch.dtype:
        """The dtype as an object of torch."""
        import torch

        dtype: torch.dtype = getattr(torch, self.dtype)
        return dtype


@lru_cache(maxsize=16)
def backend(device: str = "auto", dtype: str | None = None) -> Backend:
    """Choose CUDA where present, else MPS, else the CPU; float64, and float32 where the device has none (MPS).

    Raises ``DeviceError`` for a device or dtype that is not available here.
    """
    import torch

    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        device = next(name for name, here in available.items() if here)
    if not available.get(device, False):
        raise DeviceError(N_("the device {device} is not available here"), device=device)
    dtype = dtype or ("float32" if device == "mps" else "float64")
    if dtype not in DTYPES or (device == "mps" and dtype == "float64"):
        raise DeviceError(N_("{dtype} is not available on {device}; use float32"), dtype=dtype, device=device)
    return Backend(device, dtype)


def device_name(where: Backend) -> str:
    """The device's name for people: the model of the GPU where there is one."""
    import torch

    return torch.cuda.get_device_name() if where.device == "cuda" else where.device.upper()
