"""What a checker says of a small program. A line that it should refuse says so, and one that it does not refuse is an error, too."""

from typing import Optional

from typing_extensions import assert_type

from farebox import AsyncFarebox, Farebox, FareboxError, Result, Wallet, refusals, shapes


def converted(farebox: Farebox) -> float:
    question: shapes.FxQuestion = {"from": "USD", "to": "JPY", "amount": 100}
    result = farebox.fx(question)
    assert_type(result, Result[shapes.FxAnswer])
    assert_type(result.answer["converted"], float)
    if result.receipt is not None:
        assert_type(result.receipt["payment_tx"], str)
    farebox.fx({"form": "USD", "to": "JPY"})  # type: ignore  # a question that is misspelt
    print(result.answer["convertd"])  # type: ignore  # an answer that it does not have
    farebox.fx(question, max_usd=1)  # type: ignore  # an option that is none
    Farebox("http://127.0.0.1:8402", max_usd_per_cal=1)  # type: ignore  # a cap that is misspelt
    return result.answer["converted"]


async def best(farebox: AsyncFarebox) -> Optional[bool]:
    try:
        result = await farebox.market_best({"task": "weather forecast"})
    except refusals.NoRate as no:
        assert_type(no.charged, Optional[bool])
        return no.charged
    except FareboxError as no:
        return no.charged
    assert_type(result, Result[shapes.MarketBestAnswer])
    return None


with Farebox("http://127.0.0.1:8402", wallet=Wallet.from_env(), network="base", max_usd_per_day="1") as opened:
    print(converted(opened))
