/** What is asked for an operation on each network, and who is paid: what the code and the variables say, unless a file says else. */
import { type NetworkName, networks } from '../../schemas/tables/networks.ts'
import type { Operation } from './operation.ts'
import type { OpenOrigin } from './origin.ts'
import type { ByNetwork } from './payees.ts'

export interface PaidWallet {
  name: NetworkName
  address: string
}

/** What a file says of one operation, or of all operations of an origin. */
interface SetTerms {
  /** On every network that `prices` does not name. */
  price?: string | undefined
  prices?: ByNetwork | undefined
  pay_to?: ByNetwork | undefined
}

/** The narrower word counts: an operation's before its origin's, and a network's before that of all. */
export interface PriceBook {
  pay_to?: ByNetwork | undefined
  origins?: Readonly<Record<string, SetTerms>> | undefined
  operations?: Readonly<Record<string, SetTerms>> | undefined
}

interface Priced {
  path: string
  price: string
}

/** A caller that pays the old price of a quote is served for this long. No signed offer lives longer. */
export const withdrawnMs = 15 * 60_000

export class Tariff {
  readonly #networks: readonly NetworkName[]
  readonly #listeners: (() => void)[] = []
  readonly #payees: Readonly<Record<string, ByNetwork>>
  #book: PriceBook

  /** `networks` are those that are sold on. `payees` are those that files that sell name, by their origins. */
  constructor(
    networks: readonly NetworkName[] = [],
    book: PriceBook = {},
    payees: Readonly<Record<string, ByNetwork>> = {},
  ) {
    this.#networks = networks
    this.#book = book
    this.#payees = payees
  }

  /** Takes another book. If a listener cannot follow, the old one stays everywhere. */
  take(book: PriceBook): void {
    const old = this.#book
    this.#book = book
    try {
      for (const listener of this.#listeners) listener()
    } catch (error) {
      this.#book = old
      for (const listener of this.#listeners) listener()
      throw error
    }
  }

  /** The first listener is told first. */
  listen(listener: () => void): void {
    this.#listeners.push(listener)
  }

  priceOf(origin: string, { path, price }: Priced, network: NetworkName): string {
    const found = this.#termsOf(origin, path).map(terms => terms?.prices?.[network] ?? terms?.price)
    return found.find(each => each !== undefined) ?? price
  }

  /** Undefined: the wallet that the variables name. */
  payeeOf(origin: string, { path }: Pick<Priced, 'path'>, network: NetworkName): string | undefined {
    const own = { pay_to: ownOf(this.#payees, origin) }
    const terms = [...this.#termsOf(origin, path), own, this.#book]
    return terms.map(each => each?.pay_to?.[network]).find(each => each !== undefined)
  }

  /** Every wallet that a file names now. */
  named(): PaidWallet[] {
    const { pay_to, origins = {}, operations = {} } = this.#book
    const terms = [...Object.values(origins), ...Object.values(operations)].map(each => each.pay_to)
    return [pay_to, ...terms, ...Object.values(this.#payees)].flatMap(said =>
      this.#networks.flatMap(name => {
        const address = said?.[name]
        return address === undefined ? [] : [{ name, address }]
      }),
    )
  }

  /** The origins as they are shown now. Whatever is derived from them is written anew, because they are new objects. */
  shown(origins: readonly OpenOrigin[]): OpenOrigin[] {
    return origins.map(origin => ({
      ...origin,
      operations: origin.operations.map(operation => this.#shown(origin.name, operation)),
    }))
  }

  #shown(origin: string, operation: Operation): Operation {
    const all = this.#networks.map(name => [name, this.priceOf(origin, operation, name)] as const)
    const differing = new Set(all.map(([, price]) => Number(price)))
    const [first] = all
    if (!first || (differing.size === 1 && first[1] === operation.price)) return operation
    if (differing.size === 1) return { ...operation, price: first[1] }
    const [, price] = all.reduce((most, each) => (Number(each[1]) > Number(most[1]) ? each : most))
    return { ...operation, price, prices: Object.fromEntries(all) }
  }

  #termsOf(origin: string, path: string) {
    const { operations = {}, origins = {} } = this.#book
    return [ownOf(operations, path), ownOf(origins, origin)]
  }
}

const ownOf = <T>(all: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined

/** A price in words: on which network how much, where they differ. */
export const priceWords = ({ price, prices }: Pick<Operation, 'price' | 'prices'>): string =>
  prices
    ? Object.entries(prices)
        .map(([name, each]) => `${each} USDC on ${networks[name as NetworkName].title}`)
        .join(', ')
    : `${price} USDC`
