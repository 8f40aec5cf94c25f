"""A spending policy: caps for each call and each day, for hosts, operations and payees. It is a file that people can read."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

import httpx
from typing_extensions import NotRequired, TypedDict

from .quote import Dollars, atoms_of


class Limits(TypedDict):
    # US dollars, as text or number.
    max_usd_per_call: NotRequired[Dollars]
    # US dollars a UTC day.
    max_usd_per_day: NotRequired[Dollars]


class Policy(Limits):
    """Where a section is there, it names all who may be paid. `*` stands for each one that is not named."""

    # farebox.example, with its port if it has one of its own.
    hosts: NotRequired[Mapping[str, Limits]]
    # /fx
    operations: NotRequired[Mapping[str, Limits]]
    # The address that is paid.
    payees: NotRequired[Mapping[str, Limits]]


@dataclass(frozen=True)
class Purpose:
    """What a payment is for."""

    host: str
    path: str
    pay_to: str


@dataclass(frozen=True)
class Rule:
    """A cap that a payment must keep."""

    # What is capped, in words.
    of: str
    per_call: int | None
    per_day: int | None
    # Names the count of a day.
    scope: str


class WrongPolicy(ValueError):
    """It names the field: a cap that is misspelt is no cap."""


_sections = {"hosts": ("host", "host"), "operations": ("operation", "path"), "payees": ("payee", "pay_to")}
_limits = ("max_usd_per_call", "max_usd_per_day")


def _plain(name: str) -> str:
    """An EVM address has one meaning in capitals and in small letters; so has a host. An address of Solana has not."""
    return name.lower() if name[:2].lower() == "0x" or "." in name else name


def _operation_at(path: str) -> str:
    """However its path is written, and whatever fields of its answer are asked for, the seller knows one operation."""
    return str(httpx.URL(f"http://any{'' if path.startswith('/') else '/'}{path}").path)


def rules_for(policy: Mapping[str, Any], purpose: Purpose) -> list[Rule] | str:
    """The caps of the sections for a payment, or the reason why it may not be made at all."""
    rules: list[Rule] = []
    for section, (of, attribute) in _sections.items():
        if policy.get(section) is None:
            continue
        told = getattr(purpose, attribute)
        name = _plain(_operation_at(told) if attribute == "path" else told)
        named = {_plain(each): own for each, own in policy[section].items()}
        own = named.get(name, named.get("*"))
        if own is None:
            return f"the policy names no {of} {name}"
        scope = hashlib.sha256(f"{of} {name}".encode()).hexdigest()[:16]
        caps = [None if own.get(limit) is None else atoms_of(own[limit]) for limit in _limits]
        rules.append(Rule(f"the {of} {name}", caps[0], caps[1], scope))
    return rules


def checked_policy(given: Any) -> dict[str, Any]:
    policy = _fields_of(given, "the policy", (*_limits, *_sections))
    _check_limits(policy, "")
    for section in _sections:
        if section not in policy:
            continue
        names: set[str] = set()
        for name, limits in _fields_of(policy[section], section).items():
            where = f"{section} {name}"
            if _plain(name) in names:
                raise WrongPolicy(f"{where}: it is named twice")
            names.add(_plain(name))
            _check_limits(_fields_of(limits, where, _limits), f"{where}: ")
    # A caller who changes his own object later changes no cap.
    return dict(json.loads(json.dumps(policy, default=dict)))


def policy_in(file: Union[str, os.PathLike[str]]) -> Policy:
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
    except OSError as error:
        raise WrongPolicy(f"the policy cannot be read: {error.strerror}") from None
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise WrongPolicy("the policy is no JSON") from None
    _check_names(text)
    return checked_policy(told)  # type: ignore[return-value]


_tokens = re.compile(r'"(?:[^"\\]|\\.)*"|[{}:\[\]\n]')


def _check_names(text: str) -> None:
    """A reader takes the first of two fields with one name, and json.loads the last. So neither is taken."""
    opened: list[set[str]] = []
    line, name = 1, ""
    for token in _tokens.findall(text):
        if token == "\n":
            line += 1
        elif token in "{[":
            opened.append(set())
        elif token in "}]":
            opened.pop()
        elif token != ":":
            name = json.loads(token)
        elif name in opened[-1]:
            raise WrongPolicy(f'the policy, line {line}: "{name[:40]}" is named twice')
        else:
            opened[-1].add(name)


def _fields_of(value: Any, what: str, known: tuple[str, ...] | None = None) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise WrongPolicy(f"{what} should be an object")
    for name in value:
        if known and name not in known:
            raise WrongPolicy(f'{what}: there is no field "{name}"; there are {", ".join(known)}')
    return value


def _check_limits(limits: Mapping[str, Any], where: str) -> None:
    for name in _limits:
        if name not in limits:
            continue
        try:
            atoms_of(limits[name])
        except ValueError as error:
            raise WrongPolicy(f"{where}{name}: {error}") from None
