"""Reads receipts from stdin, and prints which of them are genuine to this client."""

import json
import sys

from farebox.results import Result
from farebox.verify import checked

told = json.load(sys.stdin)


def is_genuine(case):
    answer = case.get("answer", {})
    receipt = answer.get("receipt")
    result = Result(answer, receipt, False, case["settlement"], "", case["question"])
    return checked(result, [told["signer"]]).valid


print(json.dumps([is_genuine(case) for case in told["cases"]]))
