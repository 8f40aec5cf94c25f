/** Opens the outside of one process: the real world, with its budgets. */
import manifest from '../../../../package.json' with { type: 'json' }
import { calls } from '../calls.ts'
import { Budget } from './budget.ts'
import { download } from './download.ts'
import { get } from './get.ts'
import type { Outside } from './outside.ts'
import type { Upstream, UpstreamRate } from './upstream.ts'

interface OutsideOptions {
  /** The base address of each upstream, by its variable, without a slash at the end. */
  at: Readonly<Record<string, string>>
  /** The share of each rate that this process may use, by the rate's variable. Absent: the whole rate. */
  shares?: Readonly<Record<string, number>>
  contact: string
  now: () => number
}

/** The User-Agent names the release without its patch number. */
const release = manifest.version.replace(/\.\d+$/, '')

/** The world under one signal: the signal of the current tick or question. */
export function createOutside(options: OutsideOptions): (signal: AbortSignal) => Outside {
  const { at, shares = {}, contact, now } = options
  const userAgent = `Farebox/${release} (+${contact})`
  const budgets = new Map<UpstreamRate, Budget>()

  function budgetOf({ rate }: Upstream): Budget | undefined {
    if (!rate) return undefined
    const budget = budgets.get(rate) ?? new Budget(rate, shares[rate.variable] ?? rate.perSecond, now)
    budgets.set(rate, budget)
    return budget
  }

  function urlOf({ variable }: Upstream, path: string): string {
    const base = at[variable]
    if (base === undefined) throw new Error(`${variable} has no address`)
    return `${base}${path}`
  }

  return signal => ({
    now,
    signal,
    get: async (upstream, path, request = {}) => {
      const url = urlOf(upstream, path)
      const place = { url, from: request.secret ? upstream.variable : url, userAgent, signal }
      const ask = () => {
        calls.count(new URL(url).host)
        return get(place, request)
      }
      return budgetOf(upstream)?.spend(ask, signal, request) ?? ask()
    },
    download: async (upstream, path, request) => {
      const url = urlOf(upstream, path)
      const fetch = () => {
        calls.count(new URL(url).host)
        return download({ url, from: url, userAgent, signal }, request)
      }
      return budgetOf(upstream)?.spend(fetch, signal) ?? fetch()
    },
  })
}
