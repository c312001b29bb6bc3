"""Tell which reading of a log's orientations is right, from the rest of the log, and say so when the data cannot tell."""

from boresight.diagnosis.arrays import diagnose_arrays, second_record
from boresight.diagnosis.evidence import Evidence, Note, Recorded, gather
from boresight.diagnosis.logs import diagnose
from boresight.diagnosis.model import PARTS, Claims, Diagnosis, Part, Reading, SecondClaim
from boresight.diagnosis.second import Second
from boresight.diagnosis.verdict import diagnose_recorded, judge

__all__ = [
    "PARTS",
    "Claims",
    "Diagnosis",
    "Evidence",
    "Note",
    "Part",
    "Reading",
    "Recorded",
    "Second",
    "SecondClaim",
    "diagnose",
    "diagnose_arrays",
    "diagnose_recorded",
    "gather",
    "judge",
    "second_record",
]
