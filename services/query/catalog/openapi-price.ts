/** The price of an operation in openapi.json, for the registries of x402 and those of MPP. */
import type { Operation } from '../../offer/operation.ts'
import { atomic } from '../../till/quotes.ts'
import type { CatalogOptions } from './offered.ts'

export interface PaymentInfo {
  price: { mode: 'fixed'; currency: 'USD'; amount: string }
  protocols: object[]
  /** Of MPP. */
  offers?: object[]
}

export function paymentInfo({ price }: Operation, { mppCurrencies = [] }: CatalogOptions): PaymentInfo {
  const charges = mppCurrencies.map(currency => ({ method: 'evm', intent: 'charge', currency }))
  return {
    price: { mode: 'fixed', currency: 'USD', amount: price },
    protocols: [{ x402: {} }, ...charges.map(mpp => ({ mpp }))],
    ...(charges.length && { offers: charges.map(charge => ({ ...charge, amount: atomic(price) })) }),
  }
}
