"""Reads product pages with extruct and price texts with price-parser: a line of JSON in, a line of JSON out."""
import json
import sys

from extruct import extract
from price_parser import Price

PRODUCTS = {"Product", "ProductGroup", "IndividualProduct", "ProductModel", "Vehicle", "Car", "Book"}
OUT = ("OutOfStock", "SoldOut", "Discontinued")


def types(item):
    named = item.get("@type") or []
    return {str(each).rsplit("/", 1)[-1] for each in (named if isinstance(named, list) else [named])}


def items(value, depth=0):
    """Every thing in it, the outer ones first."""
    if depth > 6:
        return
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from items(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from items(inner, depth + 1)


def first(value):
    return first(value[0]) if isinstance(value, list) and value else None if value == [] else value


def text(value):
    value = first(value)
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value")
    return str(value).strip() if value not in (None, "") else None


def amount(value):
    parsed = Price.fromstring(text(value) or "").amount
    return None if parsed is None else str(parsed)


def product(page):
    syntaxes = ["json-ld", "microdata", "rdfa"]
    wanted = [*syntaxes, "opengraph"]
    data = extract(page["html"], base_url=page["url"], uniform=True, errors="ignore", syntaxes=wanted)
    things = [each for syntax in syntaxes for each in items(data.get(syntax, []))]
    found = [each for each in things if types(each) & PRODUCTS]
    best = next((each for each in found if each.get("offers")), found[0] if found else {})
    offers = list(items(best.get("offers") or best.get("hasVariant") or []))
    offer = next((each for each in offers if "price" in each or "lowPrice" in each), offers[0] if offers else {})
    tags = {name: value for each in data.get("opengraph", []) for name, value in each.items()}
    tag = lambda name: tags.get("product:" + name) or tags.get("og:" + name)
    stock = text(offer.get("availability")) or ""
    return {
        "price": amount(offer.get("price") or offer.get("lowPrice") or tag("price:amount")),
        "currency": text(offer.get("priceCurrency") or tag("price:currency")),
        "sku": text(best.get("sku") or best.get("productID") or best.get("mpn")),
        "brand": text(best.get("brand")),
        "availability": "OutOfStock" if stock.endswith(OUT) else "InStock",
    }


for line in sys.stdin:
    asked = json.loads(line)
    if "html" in asked:
        answer = product(asked)
    else:
        parsed = Price.fromstring(asked["text"])
        answer = {"price": None if parsed.amount is None else str(parsed.amount), "currency": parsed.currency}
    print(json.dumps({name: value for name, value in answer.items() if value is not None}))
