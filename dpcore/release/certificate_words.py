"""What the rows of a certificate's page are called, by their path in the YAML.

A page is compared with one made anew (`dpcore.release.file_hashes`): words that change here make
another form of it, and want another number in `dpcore.release.certificate_html`.
"""

from __future__ import annotations

TABLES: dict[str, dict[str, str]] = {
    "Proof, computed from the mechanism alone": {
        "proof.epsilon": "Proved ε",
        "proof.delta": "δ",
        "proof.adjacency": "Adjacency",
        "proof.neighbours": "Data sets that are compared",
        "proof.mu": "μ of Gaussian differential privacy",
        "proof.profile.#.delta": "δ at ε = {}",
        "proof.sensitivity": "Sensitivity, in units",
        "proof.noise_multiplier": "Noise multiplier",
        "proof.noise": "Noise",
        "proof.accountant": "Accountant",
        "proof.by.#": "Theorem {}",
        "proof.keeps_the_budget": "Keeps the budget that was asked for",
    },
    "Attack on the same mechanism": {
        "facts.attack.lower_bound": "ε that the attack proved, at least",
        "facts.attack.mu_lower_bound": "μ that the attack proved, at least",
        "facts.attack.delta": "δ of this ε",
        "facts.attack.confidence": "Confidence",
        "facts.attack.runs": "Releases on either data set",
        "facts.attack.about": "How it was made",
    },
    "What stays unprotected": {"unprotected.#": "{}"},
    "What was asked for": {
        "facts.released": "Date of the release",
        "facts.budget.epsilon": "ε",
        "facts.budget.delta": "δ",
    },
    "Mechanism": {
        "facts.mechanism.adjacency": "Adjacency",
        "facts.mechanism.dimension": "Number of weights",
        "facts.mechanism.units": "Units in the clipping norm",
        "facts.mechanism.sigma": "Noise scale σ, in units",
        "facts.mechanism.steps": "Noisy sums",
    },
    "Training": {
        "facts.training.method": "Method",
        "facts.training.loss": "Loss",
        "facts.training.lam": "Regularisation λ",
        "facts.training.learning_rate": "Learning rate",
        "facts.training.records": "Number of records, or of persons",
        "facts.training.count_sums": "Sums that correct the risks",
        "facts.training.hidden": "Hidden units",
        "facts.training.seed": "Seed of the first weights, which are public",
        "facts.training.spread": "Spread of the first weights",
        "facts.training.first": "First weight of each hidden unit",
        "facts.training.features": "Features",
        "facts.person.rows": "Most rows of one person that count",
    },
    "Hashes of the model and its files": {
        "facts.hashes.model": "SHA-256 of what the model says",
        "facts.hashes.columns": "SHA-256 of the description of the columns",
        "facts.hashes.files.#.sha256": "SHA-256 of {}",
    },
    "Payment in the ledger": {
        "facts.ledger.data_set": "Data set",
        "facts.ledger.person_unit": "What one person is",
        "facts.ledger.actor": "Released by",
        "facts.ledger.entry": "Number of the entry",
        "facts.ledger.chain_head": "Chain head after it",
    },
    "Versions of the programs": {
        "facts.versions.dpcore": "dpcore",
        "facts.versions.python": "Python",
        "facts.versions.numpy": "NumPy",
        "facts.versions.scipy": "SciPy",
    },
    "Hash of the certificate": {"hash": "SHA-256"},
}
"""Each table's caption, and by their path the headings of its rows, in their order.

"#" is any number of a list, and "{}" what distinguishes one of the list.
"""
DEPLOYMENT = {
    "name": "Name",
    "data_curator": "Who answers for the data",
    "description": "Description",
    "intended_use": "Intended use",
    "data_product_type": "Kind of data product",
    "data_product_region": "Region of the people in the data",
    "data_product_sector": "Sector",
    "publication_date": "Date of publication",
    "dp_flavor.name": "Kind of differential privacy",
    "dp_flavor.data_domain": "Data that may come in",
    "dp_flavor.unprotected_quantities": "What stays unprotected",
    "privacy_loss.privacy_unit": "Privacy unit",
    "privacy_loss.privacy_unit_description": "What the privacy unit means",
    "privacy_loss.privacy_parameters.epsilon": "ε",
    "privacy_loss.privacy_parameters.delta": "δ",
    "privacy_loss.privacy_parameters_description": "More on ε and δ",
    "model.model_name": "Privacy model",
    "model.actors": "Who is trusted",
    "model.is_many_release": "Released several times",
    "model.is_dynamic": "Data change over time",
    "model.is_interactive": "Answers questions as they come",
    "accounting.post_processing": "Post-processing",
    "accounting.composition": "Composition",
    "implementation.pre_processing_eda_hyperparameter_tuning": (
        "Preparation, exploration and tuning"
    ),
    "implementation.mechanisms": "Mechanisms",
    "implementation.justification": "Why it holds",
}
"""The headings of the fields of OpenDP's registry (`dpcore.release.registry.TIERS`)."""
