"""The systems of the five papers and of today, as they are described; one tuple a section."""

from dpcore.systems.papers.modern import MODERN
from dpcore.systems.papers.proposals import PAPER_000, PAPER_002, PAPER_003, PAPER_004
from dpcore.systems.papers.survey_foundations import MECHANISMS, ONLINE, THEORY
from dpcore.systems.papers.survey_learning import ERM, SUPERVISED, UNSUPERVISED
from dpcore.systems.papers.survey_networks import DEEP, DISTRIBUTED, GENERATIVE

WRITTEN = (
    *(*MODERN, *PAPER_000, *PAPER_002, *PAPER_003, *PAPER_004, *DEEP, *DISTRIBUTED, *ERM),
    *(*GENERATIVE, *MECHANISMS, *ONLINE, *SUPERVISED, *THEORY, *UNSUPERVISED),
)
