/** The rate limits of callers, in the form of the RateLimit headers. */

/** The limit of refusals for one payer. Only refusals that cost a request to an upstream or to the facilitator count. */
export const refusalsAMinute = 30

export interface Rate {
  name: 'requests' | 'refusals'
  perMinute: number
}

export const policyOf = (...rates: readonly Rate[]): string =>
  rates.map(({ name, perMinute }) => `"${name}";q=${perMinute};w=60`).join(', ')

/** Writes how many are left, and in how many seconds all of them are back. */
export const standingOf = (name: Rate['name'], left: number, backInMs: number): string =>
  `"${name}";r=${Math.max(0, Math.floor(left))};t=${Math.max(0, Math.ceil(backInMs / 1000))}`
