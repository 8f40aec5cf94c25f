"""
Reads a transaction again before it is sent. The code that made it may have followed the quote into something else, so one of
another form is not sent.
"""

from __future__ import annotations

import base64
from typing import Any

from .networks import Network

token_program = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
_budget = "ComputeBudget111111111111111111111111111111"
_memo = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
_form = [_budget, _budget, token_program, _memo]
_transfer_checked = 12
decimals = 6


def deviation(transaction: str, wallet: str, terms: Any, known: Network) -> str | None:
    """How a transaction differs from the payment of these terms by this wallet. None if it does not differ."""
    from solders.message import MessageV0
    from solders.transaction import VersionedTransaction

    message = VersionedTransaction.from_bytes(base64.b64decode(transaction)).message
    if not isinstance(message, MessageV0):
        return "it has another version"
    if message.address_table_lookups:
        return "it looks accounts up in tables"
    if message.header.num_required_signatures != 2:
        return f"{message.header.num_required_signatures} keys sign it"
    accounts = [str(each) for each in message.account_keys]
    if accounts[0] != terms.extra["feePayer"]:
        return "another account pays its fees"
    programs = [accounts[each.program_id_index] for each in message.instructions]
    if programs != _form:
        return f"its programs are {', '.join(programs)}"
    transfer = message.instructions[2]
    moved = [accounts[index] for index in bytes(transfer.accounts)]
    if len(moved) != 4 or moved[1] != known.usdc or moved[2] != _payees(terms.pay_to, known) or moved[3] != wallet:
        return "it moves something else"
    amount = int(terms.amount).to_bytes(8, "little")
    expected = bytes([_transfer_checked]) + amount + bytes([decimals])
    return None if bytes(transfer.data) == expected else "it moves another amount"


def _payees(pay_to: str, known: Network) -> str:
    """The account in which this payee holds USDC."""
    from solders.pubkey import Pubkey

    program = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
    seeds = [Pubkey.from_string(each) for each in (pay_to, token_program, known.usdc)]
    return str(Pubkey.find_program_address([bytes(each) for each in seeds], program)[0])
