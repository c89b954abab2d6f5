"""Documents of a release: their one text and its hash, and the fields of OpenDP's registry.

The fields of the registry of deployments that a certificate fills in, by tier, are from
``schemas/deployments-schema.yaml`` of github.com/opendp/deployments-registry-data at commit
617ad178d59481c1c04bbe3ef4386fc0e68d6d33: names, tiers and the values of enumerations. The registry
still renames groups of fields, so a newer edition of it may want other names.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from dpcore.errors import InvalidInput, one_of


def canonical(document: Mapping[str, Any]) -> str:
    """The one text of a document, from which hashes are taken."""
    return json.dumps(
        document, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )


SHA256 = re.compile("[0-9a-f]{64}")
"""A hash as `digest` writes it."""


def digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


_PLACE = re.compile(r"(?<=\.)[0-9]+(?=\.|$)")

TIERS: dict[str, int] = {
    "name": 1,
    "data_curator": 1,
    "description": 1,
    "intended_use": 1,
    "data_product_type": 1,
    "data_product_region": 1,
    "data_product_sector": 1,
    "publication_date": 1,
    "dp_flavor.name": 2,
    "dp_flavor.data_domain": 3,
    "dp_flavor.unprotected_quantities": 3,
    "privacy_loss.privacy_unit": 2,
    "privacy_loss.privacy_unit_description": 3,
    "privacy_loss.privacy_parameters.epsilon": 2,
    "privacy_loss.privacy_parameters.delta": 2,
    "privacy_loss.privacy_parameters_description": 3,
    "model.model_name": 2,
    "model.actors": 3,
    "model.is_many_release": 2,
    "model.is_dynamic": 2,
    "model.is_interactive": 2,
    "accounting.post_processing": 3,
    "accounting.composition": 3,
    "implementation.pre_processing_eda_hyperparameter_tuning": 3,
    "implementation.mechanisms": 3,
    "implementation.justification": 3,
}
"""Every field of ``deployment`` that is filled in, and its tier."""
REGISTRY_CHOICES = {
    "data_product_type": ("Summary statistics", "Machine learning model", "Dataset"),
    "data_product_sector": ("Technology", "Healthcare", "Education", "Government"),
    "dp_flavor.name": ("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"),
    "model.model_name": ("Local", "Central", "Shuffle", "Federated", "Varies"),
}


def leaves(document: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """The values of nested fields by their path, as a.b.c; those of a list by number."""
    values: dict[str, Any] = {}
    for name, value in document.items():
        inner = dict(enumerate(value)) if isinstance(value, list) else value
        path = f"{within}{name}"
        if isinstance(inner, dict) and inner:
            values |= leaves(inner, f"{path}.")
        else:
            values[path] = inner
    return values


def pattern(path: str) -> str:
    """A path with "#" for each number of a list."""
    return _PLACE.sub("#", path)


def check_deployment(deployment: Mapping[str, Any]) -> None:
    """Refuse a record whose fields, or values of a list, are not those of the pinned schema."""
    fields = leaves(deployment)
    for name in sorted(set(fields) ^ set(TIERS)):
        here = "is not one of the schema's" if name in fields else "is missing"
        raise InvalidInput(f"The registry's field {name} {here}.")
    for name, allowed in REGISTRY_CHOICES.items():
        one_of(name, fields[name], allowed)
