"""The controls of the prediction page; what is typed of a person is none: no address holds it."""

from __future__ import annotations

from dpcore.controls.control import Control, OneOf

DEMONSTRATION, FILE = "demonstration", "file"
ONE, MANY = "one", "many"

MODEL = Control(
    "predict_model",
    "Model",
    OneOf({DEMONSTRATION: "Demonstration", FILE: "Your file"}, row=True),
    noun="the model",
    fallback_name="the demonstration",
    help="**Demonstration**: released by this server when it is first asked for, from a synthetic "
    "cohort; nobody's, and of no use. **Your file**: the files of a release.",
)
FOR = Control(
    "predict_for",
    "Predict for",
    OneOf({ONE: "One person", MANY: "A CSV file"}, row=True),
    noun="predictions for",
    fallback_name="one person",
    help="Values that are typed or in a file are used and dropped. They are in no address, no file "
    "and no log. When the page is left they are gone from the session.",
)
EVERY = (MODEL, FOR)
