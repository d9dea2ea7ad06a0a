"""A kind of import contract of ours, for `lint-imports`: see `contract_types` in pyproject.toml."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from grimp import ImportGraph
from importlinter import fields
from importlinter.contracts.independence import IndependenceContract
from importlinter.domain.contract import ContractCheck
from importlinter.domain.imports import ModuleExpression


class IndependentPackages(IndependenceContract):
    """The packages in a package import nothing of each other; they are found, so that none can be left out.

    `package`: the one around them. Its modules are what they share.
    """

    modules = fields.SetField(subfield=fields.ModuleExpressionField(), required=False)
    package = fields.ModuleField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Checks those that are there now."""
        folder = Path(next(iter(import_module(self.package.name).__path__)))
        names = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
        self.modules = {ModuleExpression(f"{self.package.name}.{name}") for name in names}
        return super().check(graph, verbose)
