"""Asks what it reads, a line each, by the operations' own methods, and prints the outcome of each as a line."""

import json
import os
import sys

from farebox import Farebox, FareboxError, Wallet

with Farebox(os.environ["FAREBOX_URL"], wallet=Wallet.from_env(), network="base", max_usd_per_call=10, max_usd_per_day=1000) as farebox:
    for line in sys.stdin:
        name, question = json.loads(line)
        try:
            outcome = {"receipt": getattr(farebox, name)(question).receipt}
        except FareboxError as no:
            outcome = {"error": no.problem.code}
        print(json.dumps(outcome), flush=True)
