"""A module and its inputs, which can run any number of times with the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from threading import get_ident
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook
from torch.overrides import TorchFunctionMode

from mha_core.errors import N_, InteropError
from mha_core.interop.running.call import failures_named
from mha_core.interop.running.functions import as_written


class Subject:
    """A module with inputs. Each run gets copies of the inputs and the same random numbers, and leaves no trace.

    After a run the module's buffers and torch's random state are as before, whatever happens meanwhile.
    """

    def __init__(self, module: nn.Module, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        self.module = module
        self.args = args
        self.named = named
        self.names = {id(part): name for name, part in module.named_modules()}
        devices = {part.device.index or 0 for part in module.parameters() if part.device.type == "cuda"}
        self._devices = sorted(devices)
        self._buffers = [(buffer, buffer.detach().clone()) for buffer in module.buffers()]

    def run(self, mode: Any = None) -> Any:
        """What the module returns, seen or changed by a mode of torch's functions, or by one made for its inputs."""
        inputs = (*self.args, *self.named.values())
        with (
            self.copies() as (args, named),
            torch.no_grad(),
            failures_named(inputs),
            as_written(),
            (mode((args, named)) if callable(mode) else mode) or nullcontext(),
        ):
            return self.module(*args, **named)

    @contextmanager
    def copies(self) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Copies of the inputs for one run, after which everything is as before."""
        with torch.random.fork_rng(self._devices):
            try:
                yield copied((self.args, self.named))
            finally:
                for buffer, values in self._buffers:
                    if not torch.equal(buffer, values):
                        buffer.detach().copy_(values)


@contextmanager
def outputs_of_parts(module: nn.Module, change: Mapping[str, Callable[[Any], Any]]) -> Iterator[None]:
    """While it lasts, what these parts of the module return in this thread is what ``change`` makes of it.

    The hook is torch's for all modules, so that the module itself is not changed.
    """
    if not change:
        yield
        return
    parts = {id(module.get_submodule(name)): own for name, own in change.items()}
    thread = get_ident()

    def hook(part: nn.Module, _: Any, output: Any) -> Any:
        own = parts.get(id(part)) if get_ident() == thread else None
        return own(output) if own else None

    handle = register_module_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


class _Copies(TorchFunctionMode):
    """While it is active, ``deepcopy`` copies tensors without their graph of gradients, which it refuses to copy."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Called by torch in place of ``func``."""
        if func is not Tensor.__deepcopy__:
            return func(*args, **(kwargs or {}))
        tensor, memo = args
        memo[id(tensor)] = tensor.detach().clone()
        return memo[id(tensor)]


def copied(inputs: Any) -> Any:
    """Copies of the inputs, so that a module that writes into them, such as into a cache of keys, can run again.

    Raises ``InteropError`` if something in them cannot be copied: a second run might see what the first one left.
    """
    try:
        with _Copies():
            return deepcopy(inputs)
    except Exception as error:  # whatever a class of somebody else raises
        raise InteropError(
            N_("they cannot be copied for another run of the module: {error}"),
            place="inputs",
            error=f"{type(error).__name__}: {error}",
        ) from error
