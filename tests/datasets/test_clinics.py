"""Screening sets on made-up files of the published form."""

import numpy as np
import pytest

from dpcore.datasets import Preparation, prepare, read_upload
from dpcore.datasets.catalogue import source
from dpcore.datasets.sources import FileSource

# Blanks at the ends of lines and short decimals, as in the published files.
THYROID = b"""0.5 0 1 0 0 0 0 0 1 0 0 0 0 0 0 0 0.061 0.0096 0.013 0.116 0.011 1 \n\
0.62 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0.011 0.008 0.073 0.074 0.098 2 \n\
.31 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0.00005 0.03 0.158 0.101 0.156 3 \n"""


def source_of(key):
    result = source(key)
    assert isinstance(result, FileSource)
    return result


def test_thyroid_is_in_clinical_units_and_overt_disease_alone_is_a_case():
    table = read_upload("thyroid", THYROID, "made-up")
    assert table.label.tolist() == [1, -1, -1]
    assert table.frame["age"].tolist() == pytest.approx([50, 62, 31])
    assert table.frame["TSH"].tolist() == pytest.approx([61, 11, 0.05])
    assert table.frame["sex"].tolist() == ["female", "male", "female"]
    assert table.frame["pregnant"].tolist() == [0, 0, 1]
    # The index is the quotient that it is named for, which holds in these units only.
    quotient = table.frame["TT4"] / table.frame["T4U"]
    assert np.allclose(quotient, table.frame["FTI"], rtol=0.03)


def test_the_survey_counts_prediabetes_and_keeps_bands_as_numbers():
    names = [field.name for field in source_of("diabetes_screening").layout.fields]
    answers = dict.fromkeys(names, "0") | {"GenHlth": "1", "Age": "13", "Education": "6"}
    answers |= {"Income": "8", "BMI": "98", "Diabetes_binary": "1"}
    rows = [answers, answers | {"Diabetes_binary": "0", "Sex": "1", "BMI": "22"}]
    text = "\n".join([",".join(names), *(",".join(row.values()) for row in rows)]).encode()
    table = read_upload("diabetes_screening", text, "made-up")
    assert table.label.tolist() == [1, -1]
    assert prepare(table).dimension == 22


SUPPORT2 = b"""\
id,age,death,sex,hospdead,slos,d.time,dzgroup,dzclass,num.co,edu,income,scoma,charges,totcst,\
totmcst,avtisst,race,sps,aps,surv2m,surv6m,hday,diabetes,dementia,ca,prg2m,prg6m,dnr,dnrday,\
meanbp,wblc,hrt,resp,temp,pafi,alb,bili,crea,sod,ph,glucose,bun,urine,adlp,adls,sfdm2,adlsc
1,62.5,0,male,0,5,2029,Lung Cancer,Cancer,0,11,$11-$25k,0,9715,,,7,other,33.9,20,.26,.04,1,0,0,\
metastatic,.5,.25,no dnr,5,97,6,69,22,36,388,1.8,.2,1.2,141,7.46,,,,7,7,,7
2,60,1,female,1,4,4,Cirrhosis,COPD/CHF/Cirrhosis,2,,,44,34496,,,29,,52.7,74,.001,0,3,0,0,no,0,0,\
,,43,17.1,112,34,34.6,98,,,5.5,132,7.25,,,,,1,<2 mo. follow-up,1
"""


def test_who_dies_in_hospital_is_predicted_without_what_is_known_later():
    table = read_upload("support2", SUPPORT2, "made-up")
    assert table.label.tolist() == [-1, 1]
    assert table.frame["race"].isna().tolist() == [False, True]
    assert table.frame["glucose"].isna().all()
    assert not {"death", "slos", "surv2m", "prg2m", "sps", "adlsc"} & set(table.frame)
    assert not {"death", "d.time"} & {column.name for column in table.entry.columns}
    # Time and death are outcomes: whom they are about is read, and no model sees them.
    assert table.follow_up.to_dict("list") == {"d.time": [2029.0, 4.0], "death": ["no", "yes"]}
    assert table.rows(np.array([1])).follow_up["d.time"].tolist() == [4.0]
    # Race is there to compare groups by: five levels, and one of its own where it is unknown.
    with_race = prepare(table, Preparation(include=("race",)))
    assert with_race.dimension == prepare(table).dimension + 6
