"""Types of the front door, made by `python -m dpcore.front.stub`, for editors and checkers."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from dpcore.datasets import Table
from dpcore.progress import Progress
from dpcore.accounting.elsewhere import (
    StatementStudy as StatementStudy,
)
from dpcore.accounting.planner import (
    Plan as Plan,
)
from dpcore.accounting.risk import (
    Odds as Odds,
)
from dpcore.datasets import (
    Preparation as Preparation,
    prepare as prepare,
)
from dpcore.deep.config import (
    TrainingConfig as TrainingConfig,
)
from dpcore.audit.claim import (
    ClaimTrial as ClaimTrial,
    try_claim as try_claim,
    try_outputs as try_outputs,
)
from dpcore.audit.replay import (
    Replay as Replay,
    replay as replay,
)
from dpcore.audit.study import (
    CourtStudy as CourtStudy,
    TrialStudy as TrialStudy,
)
from dpcore.erm.methods import (
    describe_methods as describe_methods,
)
from dpcore.errors import (
    InvalidInput as InvalidInput,
)
from dpcore.estimators import (
    ModelGuarantee as ModelGuarantee,
    PrivateHuberSVC as PrivateHuberSVC,
    PrivateLinearRegression as PrivateLinearRegression,
    PrivateLogisticRegression as PrivateLogisticRegression,
)
from dpcore.evaluation.clinic.decision_curve import (
    decisions as decisions,
)
from dpcore.evaluation.models import (
    ModelStudy as ModelStudy,
)
from dpcore.evaluation.study import (
    Study as Study,
)
from dpcore.evaluation.training import (
    TrainingStudy as TrainingStudy,
)
from dpcore.front.experiments import (
    load as load,
    report as report,
    train as train,
)
from dpcore.front.privacy import (
    Run as Run,
    certify as certify,
    delta as delta,
    epsilon as epsilon,
    risk as risk,
    sigma as sigma,
)
from dpcore.guarantee import (
    Adjacency as Adjacency,
    Guarantee as Guarantee,
    PrivacyBudget as PrivacyBudget,
    Status as Status,
)
from dpcore.questions.account.function import (
    account as account,
)
from dpcore.questions.plan.function import (
    plan as plan,
)
from dpcore.release.release import (
    release_model as release_model,
)
from dpcore.summaries.study import (
    TableStudy as TableStudy,
)

__version__: str
__all__: list[str]
PLACES: dict[str, tuple[str, ...]]

def calibration(
    study: Study,
    *,
    corrected: bool = ...,
    bins: int = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def cost(
    study: Study,
    *,
    every_run: bool = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def court(
    study: CourtStudy,
    *,
    mended: bool = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def decision_curve(
    study: Study,
    *,
    corrected: bool = ...,
    thresholds: Sequence[float] = ...,
    costs: tuple[float, float] | None = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def describe(
    study: TableStudy,
    *,
    by: str = ...,
    only: tuple[str, ...] = ...,
    statistics: tuple[str, ...] = ...,
    cross: tuple[str, ...] = ...,
    weights: tuple[tuple[str, int], ...] = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def groups(
    study: Study,
    *,
    corrected: bool = ...,
    by: str = ...,
    threshold: float = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def model(
    study: ModelStudy,
    *,
    every_run: bool = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def risk_curves(
    study: Study,
    *,
    columns: Sequence[str] = ...,
    by_hand: Mapping[str, Mapping[str, float]] | None = ...,
    run: int = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def statement(
    study: StatementStudy,
    *,
    claimed: float | None = ...,
    delta: float = ...,
    sampler: str = ...,
    division: str = ...,
    adjacency: str = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def survival(
    study: TableStudy,
    *,
    time: str = ...,
    event: str = ...,
    by: str = ...,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def times(
    study: Study,
    *,
    records: Table | None = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def vary(
    study: TrainingStudy,
    *,
    setting: str = ...,
    values: Sequence[float] = ...,
    gives_way: str = ...,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...

def verify(
    study: TrialStudy,
    *,
    progress: Progress = ...,
    cancelled: Callable[[], bool] = ...,
) -> pd.DataFrame: ...
