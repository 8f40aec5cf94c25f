/** The rates that callers are held to, in the words of the RateLimit headers. */

/** Refusals of one payer that cost a request to an upstream or to the facilitator. Others are not counted. */
export const refusalsAMinute = 30

export interface Rate {
  name: 'requests' | 'refusals'
  perMinute: number
}

export const policyOf = (...rates: readonly Rate[]): string =>
  rates.map(({ name, perMinute }) => `"${name}";q=${perMinute};w=60`).join(', ')

/** How much is left, and in how many seconds all of it is back. */
export const standingOf = (name: Rate['name'], left: number, backInMs: number): string =>
  `"${name}";r=${Math.max(0, Math.floor(left))};t=${Math.max(0, Math.ceil(backInMs / 1000))}`
