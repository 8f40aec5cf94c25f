"""What the client pays, counts, presents again and shows, with a seller who may be anybody."""

import asyncio
import base64
import gzip
import io
import json
import logging
import os
import pathlib
import pickle
import tempfile
import traceback
import unittest
from pathlib import Path

import httpx

import farebox
from farebox import AsyncFarebox, CannotPay, ConnectionLost, FareboxError, KeepInFolder, OverBudget, PurseInFile
from farebox import PurseInMemory, Redirected, Refused, Spent, Wallet, WrongPolicy, refusals, spending_in_folder, spent_in
from farebox.kept import name_of
from farebox.policy import Purpose, checked_policy, policy_in, rules_for

cross = json.loads(os.environ["CROSS"])
evm_key, solana_key, offer = cross["evmKey"], cross["solanaKey"], cross["offer"]
url = "https://shop.example"


def encoded(value):
    return base64.b64encode(json.dumps(value).encode()).decode()


def asking(*offers):
    quote = {"x402Version": 2, "resource": {"url": f"{url}/fx"}, "accepts": list(offers)}
    return httpx.Response(402, headers={"payment-required": encoded(quote)}, json={"error": "payment_required", "charged": False})


class Seller:
    """Gives each answer in turn; an exception is a lost connection. The last one is given for good."""

    def __init__(self, *paid, offers=(offer,)):
        self.paid, self.offers = list(paid), offers
        self.heard = []

    def __call__(self, request):
        self.heard.append(request)
        if "payment-signature" not in request.headers:
            return asking(*self.offers)
        answer = self.paid.pop(0) if len(self.paid) > 1 else self.paid[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def payments(self):
        return [each.headers["payment-signature"] for each in self.heard if "payment-signature" in each.headers]

    @property
    def keys(self):
        return [each.headers["idempotency-key"] for each in self.heard if "payment-signature" in each.headers]

    def client(self, **options):
        http = httpx.AsyncClient(transport=httpx.MockTransport(self))
        given = {"wallet": Wallet(evm_key, solana_key), "purse": PurseInMemory(), "patience": 0, "http": http, **options}
        return AsyncFarebox(url, **given)


class Packed(httpx.AsyncByteStream):
    def __init__(self, body):
        self.body = body

    async def __aiter__(self):
        yield self.body


def packed(how, body):
    return httpx.Response(200, headers={"content-type": "application/json", "content-encoding": how}, stream=Packed(body))


ok = httpx.Response(200, json={"said": "hello"})
fx = {"from": "USD", "to": "JPY"}


def run(work):
    return asyncio.run(work)


def ended(work):
    try:
        return run(work)
    except FareboxError as error:
        return error


class Reads(unittest.TestCase):
    def test_what_is_packed_once_and_no_other(self):
        said = gzip.compress(b'{"said": "hello"}')
        self.assertEqual(run(Seller(packed("gzip", said)).client().fx(fx)).answer, {"said": "hello"})
        for how, body in (("gzip, gzip", gzip.compress(said)), ("gzip,gzip", gzip.compress(said)), ("br", b"\x0b"), ("zstd", b"")):
            with self.subTest(how):
                seller = Seller(packed(how, body))
                error = ended(seller.client().fx(fx))
                self.assertIsInstance(error, ConnectionLost)
                self.assertIsNone(error.charged)
                self.assertIn("packed", str(error))


class Pays(unittest.TestCase):
    def test_for_usdc_of_its_own_table_alone(self):
        run(Seller(ok).client().fx(fx))
        for change in (
            {"asset": "0x" + "11" * 20},
            {"network": "eip155:1"},
            {"scheme": "upto"},
            {"amount": "0"},
            {"amount": 2000},
            {"amount": "٣"},
            {"maxTimeoutSeconds": 601},
            {"maxTimeoutSeconds": True},
            {"payTo": "somebody"},
            {"payTo": offer["payTo"] + "\n"},
            {"extra": {"name": "Bridged USDC", "version": "2"}},
            {"extra": {"assetTransferMethod": "permit2"}},
            {"extra": []},
            {"network": cross["solana"]["network"], "asset": offer["asset"]},
        ):
            seller = Seller(ok, offers=[{**offer, **change}])
            with self.subTest(change):
                self.assertIsInstance(ended(seller.client().fx(fx)), CannotPay)
                self.assertEqual(seller.payments, [])
        for odd in ([], "offer", None, 1):
            self.assertIsInstance(ended(Seller(ok, offers=[odd]).client().fx(fx)), CannotPay)

    def test_on_the_network_that_is_wanted(self):
        self.assertIsInstance(ended(Seller(ok).client(network="polygon").fx(fx)), CannotPay)
        run(Seller(ok, offers=[{**offer, "scheme": "upto"}, offer]).client(network="base").fx(fx))

    def test_once_whatever_the_seller_asks_for_afterwards(self):
        seller = Seller(asking(offer))
        error = ended(seller.client().fx(fx))
        self.assertIsInstance(error, refusals.PaymentRequired)
        self.assertEqual(len(seller.payments), 1)

    def test_nobody_elsewhere(self):
        seller = Seller(httpx.Response(307, headers={"location": "https://thief.example/"}))
        error = ended(seller.client(http=httpx.AsyncClient(transport=httpx.MockTransport(seller), follow_redirects=True)).fx(fx))
        self.assertIsInstance(error, Redirected)
        self.assertIsNone(error.charged)
        self.assertEqual({each.url.host for each in seller.heard}, {"shop.example"})


class Counts(unittest.TestCase):
    def cap(self, **caps):
        seller = Seller(ok)
        client = seller.client(**caps)

        async def two():
            await client.fx(fx)
            await client.fx(fx)

        error = ended(two())
        return len(seller.payments), str(error) if isinstance(error, OverBudget) else None

    def test_within_every_cap(self):
        self.assertEqual(self.cap(), (2, None))
        for paid, words, caps in (
            (0, "max_usd_per_call is 0.001", {"max_usd_per_call": "0.001"}),
            (0, "max_usd_per_call is 0.001", {"max_usd_per_call": 5, "policy": {"max_usd_per_call": 0.001}}),
            (1, "max_usd_per_day is 0.003", {"max_usd_per_day": 0.003}),
            (1, "a day of the host shop.example at 0.003", {"policy": {"hosts": {"SHOP.example": {"max_usd_per_day": "0.003"}}}}),
            (0, "names no host shop.example", {"policy": {"hosts": {"other.example": {}}}}),
            (0, "a call of the operation /fx at 0.001", {"policy": {"operations": {"/fx": {"max_usd_per_call": 0.001}, "*": {}}}}),
            (1, "a day of the payee", {"policy": {"payees": {offer["payTo"].upper().replace("0X", "0x"): {"max_usd_per_day": 0.002}}}}),
            (1, "a day of the operation /fx", {"policy": {"operations": {"*": {"max_usd_per_day": 0.002}}}}),
            (0, "names no payee", {"policy": {"payees": {}}}),
        ):
            with self.subTest(words):
                times, said = self.cap(**caps)
                self.assertEqual(times, paid)
                self.assertIn(words, said or "")

    def test_an_operation_however_its_path_is_written(self):
        rows = {"operations": {"/fx": {"max_usd_per_day": 0.002}, "*": {"max_usd_per_day": 0.002}}}
        for path in ("fx", "/fx?fields=rate", "/f%78", "/fx#rate"):
            [rule] = rules_for(rows, Purpose("shop.example", path, "0x1"))
            self.assertEqual(rule.of, "the operation /fx")
        with self.assertRaisesRegex(WrongPolicy, "named twice"):
            checked_policy({"payees": {"0xAB": {}, "0xab": {}}})

    def test_a_cap_that_stands_once_in_its_file(self):
        file = pathlib.Path(tempfile.mkdtemp()) / "policy.json"
        file.write_text('{"hosts": {"a": {}, "*": {}},\n"max_usd_per_day": 1,\n"max\\u005fusd_per_day": 100}')
        with self.assertRaisesRegex(WrongPolicy, 'line 3: "max_usd_per_day" is named twice'):
            policy_in(file)
        file.write_text('{"hosts": {"a": {"max_usd_per_day": 1}, "*": {"max_usd_per_day": 1}}, "max_usd_per_day": 2}')
        self.assertEqual(policy_in(file)["max_usd_per_day"], 2)

    def test_what_one_cap_refuses_for_none(self):
        purse = PurseInMemory()
        self.cap(purse=purse, policy={"hosts": {"shop.example": {"max_usd_per_day": 0.001}}})
        self.assertEqual(self.cap(purse=purse, max_usd_per_day=0.004), (2, None))

    def test_whatever_the_seller_says_afterwards(self):
        for body in ({"error": "no_rate", "charged": False}, {"error": "x", "charged": None}):
            seller = Seller(httpx.Response(422, json=body))
            client = seller.client(max_usd_per_day=0.003)
            ended(client.fx(fx))

            async def again(client=client):
                await client.fx(fx)

            self.assertIsInstance(ended(again()), OverBudget)

    def test_nothing_where_nothing_was_signed(self):
        def fails(spent):
            raise OSError("the disk is full")

        purse = PurseInMemory()
        seller = Seller(ok)
        with self.assertRaises(OSError):
            run(seller.client(purse=purse, on_signed=fails).fx(fx))
        self.assertEqual(seller.payments, [])
        self.assertIsInstance(ended(Seller(ok).client(purse=purse, wallet=Wallet("0x12")).fx(fx)), CannotPay)
        run(Seller(ok).client(purse=purse, max_usd_per_day=0.002).fx(fx))

    def test_no_cap_that_is_misspelt(self):
        for wrong in (
            {"max_usd_per_cal": 1},
            {"max_usd_per_call": "a lot"},
            {"max_usd_per_call": True},
            {"max_usd_per_call": None},
            {"max_usd_per_call": -1},
            {"hosts": None},
            {"hosts": {"a": {"max": 1}}},
            {"payees": []},
            [],
        ):
            with self.subTest(wrong), self.assertRaises(WrongPolicy):
                checked_policy(wrong)
        with self.assertRaises(TypeError):
            AsyncFarebox(url, max_usd_per_cal=1)
        self.assertEqual(checked_policy({"max_usd_per_call": 0.00001}), {"max_usd_per_call": 0.00001})

    def test_in_the_files_of_the_other_client(self):
        folder = os.environ["SHARED"]
        self.assertEqual(PurseInFile(folder).take(cross["day"], 1000, 10_000_000).spent, 5000)
        self.assertFalse(PurseInFile(folder).take(cross["day"], 1000, 6500).taken)
        Path(folder, "spent-2026-01-02.jsonl").write_text('\n{"id":"a","atoms":"70"\n{"id":"b","at\nwhat?')
        with self.assertRaisesRegex(OSError, "its line 4 cannot be read"):
            PurseInFile(folder).take("2026-01-02", 1, 10_000_000)

    def test_what_it_counted_before_the_clock_ran_far_ahead_for_a_while(self):
        with tempfile.TemporaryDirectory() as folder:
            write = spending_in_folder(folder)
            for day in ("2026-11-28", "2099-01-01", "2099-01-02"):
                self.assertTrue(PurseInFile(folder).take(day, 4000, 5000).taken)
                write(Spent(f"{day}T00:00:00Z", "0.004", "base", "0x1", url))
            self.assertFalse(PurseInFile(folder).take("2026-11-28", 2000, 5000).taken)
            self.assertEqual(len(spent_in(folder)), 3)
            for day in range(1, 34):
                PurseInFile(folder).take(f"2020-{day // 28 + 1:02}-{day % 28 + 1:02}", 1, 5)
            PurseInFile(folder).take("2020-06-01", 1, 5)
            names = sorted(each.name for each in Path(folder).glob("spent-2020-*"))
            self.assertEqual((len(names), names[0]), (32, "spent-2020-01-04.jsonl"))

    def test_a_line_of_the_log_behind_one_that_was_cut_off(self):
        with tempfile.TemporaryDirectory() as folder:
            write = spending_in_folder(folder)
            for hour in (1, 2):
                write(Spent(f"2026-11-28T0{hour}:00:00Z", "0.002", "base", "0x1", url))
                with open(Path(folder, "paid-2026-11-28.jsonl"), "a") as file:
                    file.write('\n{"at":"2026')
            self.assertEqual([each.at[12:13] for each in spent_in(folder)], ["1", "2"])


def on(network):
    """An offer on another network, and what a seller says who refuses payments there."""
    return {**offer, **networks[network]}, httpx.Response(402, json={**poor, "message": f"nothing on {network}"})


networks = {
    "base": {},
    "polygon": {"network": "eip155:137", "asset": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "extra": {}},
    "arbitrum": {"network": "eip155:42161", "asset": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "extra": {}},
}
poor = {"error": "insufficient_funds", "charged": False}
offers, refusals_of = zip(*(on(network) for network in networks))


class GoesOnToTheNextNetwork(unittest.TestCase):
    def networks_of(self, seller):
        return [json.loads(base64.b64decode(payment))["accepted"]["network"] for payment in seller.payments]

    def test_where_the_payment_is_refused_uncharged(self):
        for status, code in ((402, "insufficient_funds"), (402, "payment_rejected"), (503, "facilitator_unavailable")):
            seller, told = Seller(httpx.Response(status, json={"error": code, "charged": False}), ok, offers=offers), []
            run(seller.client(on_refused=lambda problem, network: told.append((problem.code, network))).fx(fx))
            self.assertEqual((self.networks_of(seller), told), (["eip155:8453", "eip155:137"], [(code, "polygon")]))
            self.assertEqual(len(set(seller.keys)), 1)

    def test_never_otherwise(self):
        for status, body in (
            (503, {"error": "payment_unknown", "charged": None}),
            (402, {"error": "insufficient_funds"}),
            (402, {"error": "insufficient_funds", "charged": "false"}),
            (402, {"error": "payment_required", "charged": False}),
            (409, {"error": "payment_already_used", "charged": True}),
            (422, {"error": "no_rate", "charged": False}),
            (500, {"error": "internal_error", "charged": False}),
        ):
            seller = Seller(httpx.Response(status, json=body), offers=offers)
            with self.subTest(body):
                self.assertIsInstance(ended(seller.client().fx(fx)), FareboxError)
                self.assertEqual(len(seller.payments), 1)
        alone = Seller(refusals_of[0], offers=offers)
        self.assertIsInstance(ended(alone.client(network="base").fx(fx)), refusals.InsufficientFunds)
        self.assertEqual(len(alone.payments), 1)

    def test_within_the_cap_of_a_call(self):
        for cap, signed in (("0.002", 1), ("0.0039", 1), ("0.004", 2), ("0.006", 3)):
            for caps in ({"max_usd_per_call": cap}, {"policy": {"operations": {"*": {"max_usd_per_call": cap}}}}):
                seller = Seller(*refusals_of, offers=offers)
                error = ended(seller.client(**caps).fx(fx))
                self.assertEqual((len(seller.payments), error.code), (signed, "insufficient_funds"))
                self.assertIn("base: nothing on base", str(error))
                if signed < 3:
                    self.assertIn("were signed before in this call", str(error))

    def test_and_counts_all_in_the_day(self):
        purse = PurseInMemory()
        ended(Seller(*refusals_of, offers=offers).client(purse=purse).fx(fx))
        self.assertIsInstance(ended(Seller(ok).client(purse=purse, max_usd_per_day="0.007").fx(fx)), OverBudget)

    def test_and_presents_the_last_payment_first(self):
        folder = tempfile.mkdtemp()
        seller = Seller(refusals_of[0], httpx.ReadError("lost"), offers=offers)
        self.assertIsNone(ended(seller.client(keep=folder).fx(fx)).charged)
        self.assertEqual(len(os.listdir(folder)), 2)
        again = Seller(ok, offers=offers)
        run(again.client(keep=folder).fx(fx))
        self.assertEqual((again.payments, again.keys), (seller.payments[1:], seller.keys[1:]))
        self.assertEqual(os.listdir(folder), [])

    def test_and_eight_at_once_share_both_payments(self):
        folder = tempfile.mkdtemp()

        class Lost(Seller):
            def __call__(self, request):
                answer = super().__call__(request)
                if "payment-signature" not in request.headers:
                    return answer
                return refusals_of[0] if self.networks[-1] == "eip155:8453" else httpx.Response(503, json={"error": "payment_unknown", "charged": None})

            @property
            def networks(self):
                return [json.loads(base64.b64decode(each))["accepted"]["network"] for each in self.payments]

        seller = Lost(None, offers=offers)

        async def all_at_once():
            return await asyncio.gather(*(seller.client(keep=folder).fx(fx) for _ in range(8)), return_exceptions=True)

        self.assertEqual([each.charged for each in run(all_at_once())], [None] * 8)
        self.assertEqual(len(set(seller.payments)), 2)


class Recovers(unittest.TestCase):
    def test_by_the_same_payment_and_the_same_key(self):
        in_flight = httpx.Response(409, json={"error": "payment_in_flight", "charged": None})
        seller = Seller(httpx.ReadError("lost"), in_flight, ok)
        self.assertEqual(run(seller.client(patience=20).fx(fx)).answer, {"said": "hello"})
        self.assertEqual((len(seller.payments), len(set(seller.payments)), len(set(seller.keys))), (3, 1, 1))

    def test_when_the_error_is_given_back(self):
        seller = Seller(httpx.ReadError("lost"))
        error = ended(seller.client().fx(fx))
        self.assertIsInstance(error, ConnectionLost)
        self.assertIsNone(error.charged)
        again = Seller(ok)
        run(again.client().fx(fx, payment=error.payment, key=error.key))
        self.assertEqual((again.payments, again.keys), (seller.payments, seller.keys))

    def test_by_what_is_kept_in_another_process(self):
        folder = tempfile.mkdtemp()
        seller = Seller(httpx.ReadError("lost"))
        ended(seller.client(keep=folder).fx(fx))
        [kept] = KeepInFolder(folder).open()
        self.assertEqual((kept.said, kept.payment), ({"code": "connection_lost", "charged": None}, seller.payments[0]))
        taken_up = []
        again = Seller(ok)
        run(again.client(keep=Path(folder), on_taken_up=taken_up.append).fx({"to": "JPY", "from": "USD"}))
        self.assertEqual((again.payments, again.keys, len(taken_up)), (seller.payments, seller.keys, 1))
        self.assertEqual(os.listdir(folder), [])

    def test_nothing_where_it_cannot_be_kept(self):
        seller = Seller(ok)
        file = Path(tempfile.mkdtemp(), "file")
        file.write_text("")
        with self.assertRaisesRegex(OSError, "so nothing is paid"):
            run(seller.client(keep=file).fx(fx))
        self.assertEqual(seller.payments, [])

    def test_under_the_names_of_the_other_client(self):
        for name, path, question in cross["names"]:
            self.assertEqual(name_of(url, path, question), name, question)

    def test_with_a_proof_for_this_host_and_this_payment_alone(self):
        from farebox.proof import proof_for

        wallet = Wallet(evm_key, solana_key)
        for refusal, proof in cross["proofs"]:
            told = proof_for(refusal, f"{url}/fx", wallet)
            self.assertEqual(told and json.loads(base64.b64decode(told)), proof)
            # The query string chooses fields of the answer, and is no part of what was bought.
            self.assertEqual(proof_for(refusal, f"{url}/fx?fields=rate", wallet), told)


class Tells(unittest.TestCase):
    def charged(self, body, status=409, **more):
        error = ended(Seller(httpx.Response(status, **({"json": body} if body is not None else {"text": "<html>"}), **more)).client().fx(fx))
        return type(error).__name__, error.charged, error.answer, bool(error.payment)

    def test_the_truth_about_the_money(self):
        asked = {"sign-in-with-x": {"info": {"nonce": "x"}}}
        self.assertEqual(self.charged({"error": "no_rate", "charged": False}), ("NoRate", False, None, False))
        self.assertEqual(self.charged({"error": "payment_unknown", "charged": None}), ("PaymentUnknown", None, None, True))
        self.assertEqual(self.charged({"error": "new_code"}), ("Refused", None, None, True))
        self.assertEqual(self.charged({"error": "no_rate", "charged": "no"}), ("NoRate", None, None, True))
        self.assertEqual(self.charged(None, 502), ("Unreadable", None, None, True))
        used = {"error": "payment_already_used", "charged": True}
        self.assertEqual(self.charged({**used, "extensions": asked}), ("PaymentAlreadyUsed", True, "kept", True))
        self.assertEqual(self.charged(used), ("PaymentAlreadyUsed", True, "gone", True))
        self.assertEqual(self.charged([]), ("Unreadable", None, None, True))
        # What is the client's to say, a seller says not in its name.
        for code in ("dry_run", "over_budget", "cannot_pay", "connection_lost"):
            self.assertEqual(self.charged({"error": code}), ("Unreadable", None, None, True))
        # A page of a proxy comes with 200, too.
        self.assertEqual(self.charged(None, 200), ("Unreadable", None, None, True))

    def test_the_answer_whatever_its_form(self):
        settled = {"payment-response": encoded({"success": True, "transaction": "0xabc"})}
        for given, expected in (({"text": "a joke"}, "a joke"), ({"json": ["a joke"]}, ["a joke"]), ({"json": "a joke"}, "a joke")):
            seller = Seller(httpx.Response(200, headers=settled, **given))
            result = run(seller.client().call("/joke"))
            self.assertEqual((result.answer, result.receipt), (expected, None))
            self.assertEqual(run(seller.client().verify(result)).receipt, None)

    def test_the_answer_however_deep_it_nests(self):
        deep = "[" * 50_000 + "]" * 50_000
        settled = {"payment-response": encoded({"success": True, "transaction": "0xabc"}), "content-type": "application/json"}
        answer = run(Seller(httpx.Response(200, headers=settled, text=deep)).client().call("/joke")).answer
        # A Python that cannot read so deep gives the text.
        levels = 0
        while isinstance(answer, list):
            answer, levels = (answer or [deep])[0], levels + 1
        self.assertEqual((answer, levels in (0, 50_000)), (deep, True))

    def test_a_strangers_words_in_one_line(self):
        said = {"error": "busy\npaid", "message": "No.\r\u2028\u0085Nothing was paid", "charged": False}
        error = ended(Seller(httpx.Response(503, json=said)).client().fx(fx))
        self.assertEqual(str(error), "busy?paid: No.???Nothing was paid")

    def test_no_secret(self):
        heard = io.StringIO()
        handler = logging.StreamHandler(heard)
        logging.basicConfig(level=logging.DEBUG, handlers=[handler], force=True)
        seller = Seller(httpx.ReadError("lost"))
        error = ended(seller.client().fx(fx))
        digits = evm_key[2:]
        base58 = "4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw1uYbnGyLzLhJzP3xqZkXk6LbLk9bLTGJvQ3kQ8LrNnN7h"
        beyond = "f" * 32 + digits[:32]
        for mangled in (
            *(digits + "a", digits[1:], f"0X{digits}7", f"0x0x{digits}", f'"{digits}"', f"0x{digits[1:]}g", beyond),
            *(f"export FAREBOX_KEY=0x{digits}", f"{digits},", f"{digits[:32]} {digits[32:]}", f"{digits[:32]}\n{digits[32:]}"),
            *(solana_key[:-1], solana_key[1:], solana_key.replace("[", "[1,"), base58, f"{base58}9", f"0{base58[1:]}"),
        ):
            for wallet in (lambda: Wallet(mangled), lambda: Wallet(None, mangled), lambda: Wallet.from_text(mangled)):
                try:
                    run(Seller(ok, offers=[offer, cross["solana"]]).client(wallet=wallet()).fx(fx))
                except Exception:
                    traceback.print_exc(file=heard)
        try:
            raise error
        except FareboxError:
            traceback.print_exc(file=heard)
        for each in (error, str(error), error.problem, Wallet(evm_key, solana_key), seller.client(), vars(seller.client())):
            heard.write(repr(each))
        said = heard.getvalue()
        self.assertIn("the EVM key is not 0x", said)
        for secret in (digits, solana_key, base58, seller.payments[0]):
            shown = [start for start in range(len(secret) - 11) if secret[start : start + 12] in said]
            self.assertEqual(shown, [])
        with self.assertRaises(TypeError):
            pickle.dumps(Wallet(evm_key))
        self.assertEqual(pickle.loads(pickle.dumps(error)).problem, error.problem)

    def test_no_answer_of_any_length(self):
        class Endless(httpx.AsyncByteStream):
            async def __aiter__(self):
                while True:
                    yield b" " * (1 << 20)

        error = ended(Seller(httpx.Response(200, stream=Endless())).client().fx(fx))
        self.assertIn("the answer has no end", str(error))

    def test_in_its_own_words_what_is_no_key(self):
        for word in ("short", "with space", "ä" * 9, "x" * 129, "a\nb: cccccc"):
            with self.assertRaises(ValueError):
                run(Seller(ok).client().fx(fx, key=word))
        for wrong in ("http://user:secret@shop.example", "shop.example", "ftp://shop.example"):
            with self.assertRaises(ValueError):
                AsyncFarebox(wrong)

    def test_of_a_dry_run_that_it_signs_nothing(self):
        seller, signed = Seller(ok), []
        error = ended(seller.client(on_signed=signed.append).fx(fx, dry_run=True))
        self.assertIn("It would pay 0.002 USDC on base", str(error))
        self.assertEqual((seller.payments, signed), ([], []))
        self.assertIsInstance(error, farebox.DryRun)

    def test_of_a_dry_run_that_it_takes_nothing_from_the_purse(self):
        folder = Path(tempfile.mkdtemp(), "state")
        caps = {"purse": PurseInFile(folder), "policy": {"hosts": {"*": {"max_usd_per_day": "0.003"}}}}

        def dry():
            return str(ended(Seller(ok).client(**caps).fx(fx, dry_run=True)))

        def sizes():
            return {file.name: file.stat().st_size for file in folder.iterdir()}

        self.assertIn("It would pay", dry())
        self.assertFalse(folder.exists())
        run(Seller(ok).client(**caps).fx(fx))
        before = sizes()
        self.assertIn("0.002 were spent today", dry())
        self.assertEqual((sizes(), len(before)), (before, 2))


if __name__ == "__main__":
    unittest.main()
