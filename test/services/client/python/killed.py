"""A process that pays, and is killed at a step of it: after it has claimed the amount, written the log, or kept the payment."""

import os
import signal
import sys

from farebox import Farebox, KeepInFolder, Wallet, spending_in_folder

url, step = sys.argv[1:]
write = spending_in_folder()


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def on_signed(spent):
    if step == "claimed":
        die()
    write(spent)
    if step == "logged":
        die()


class Keep(KeepInFolder):
    def put(self, name, kept, first):
        super().put(name, kept, first)
        die()


Farebox(url, wallet=Wallet.from_env(), keep=Keep(), on_signed=on_signed).call("/fx", {"from": "USD", "to": "JPY"})
