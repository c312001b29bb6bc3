"""Tell which reading of a log's orientations is right, from the rest of the log, and say so when the data cannot tell."""

from boresight.diagnosis.arrays import diagnose_arrays, second_record
from boresight.diagnosis.clock import Faults
from boresight.diagnosis.evidence import Note
from boresight.diagnosis.logs import diagnose
from boresight.diagnosis.model import PARTS, Claim, Diagnosis, Part, Reading, SecondClaim
from boresight.diagnosis.second import Second

__all__ = [
    "PARTS",
    "Claim",
    "Diagnosis",
    "Faults",
    "Note",
    "Part",
    "Reading",
    "Second",
    "SecondClaim",
    "diagnose",
    "diagnose_arrays",
    "second_record",
]
