/** The price of an operation in openapi.json, for the registries of x402 and those of MPP. */
import { networkNames, networks } from '../../../schemas/tables/networks.ts'
import type { Operation } from '../../offer/operation.ts'
import { atomic } from '../../till/quotes.ts'
import type { CatalogOptions } from './offered.ts'

export interface PaymentInfo {
  price:
    | { mode: 'fixed'; currency: 'USD'; amount: string }
    | { mode: 'dynamic'; currency: 'USD'; min: string; max: string }
  protocols: object[]
  /** Of MPP. */
  offers?: object[]
}

export function paymentInfo(operation: Operation, { mppCurrencies = [] }: CatalogOptions): PaymentInfo {
  const charges = mppCurrencies.map(currency => ({ method: 'evm', intent: 'charge', currency }))
  const offers = charges.map(charge => ({ ...charge, amount: atomic(priceIn(operation, charge.currency)) }))
  return {
    price: rangeOf(operation),
    protocols: [{ x402: {} }, ...charges.map(mpp => ({ mpp }))],
    ...(offers.length && { offers }),
  }
}

/** It is fixed for each network. Where networks differ, the quote says which. */
function rangeOf({ price, prices }: Operation): PaymentInfo['price'] {
  if (!prices) return { mode: 'fixed', currency: 'USD', amount: price }
  const [min = price] = Object.values(prices).toSorted((a, b) => Number(a) - Number(b))
  return { mode: 'dynamic', currency: 'USD', min, max: price }
}

/** The price on the network of this token. */
function priceIn({ price, prices = {} }: Operation, token: string): string {
  const name = networkNames.find(each => Object.hasOwn(prices, each) && networks[each].asset === token)
  return (name && prices[name]) ?? price
}
