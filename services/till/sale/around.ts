/**
 * The networks around a caller of IPv6. Whoever has one /64 often has a whole /56 or /48 of them: each counts as a few callers, so
 * that nobody is as many as he likes.
 */
export interface Around {
  name: string
  /** So many times the share of one caller. */
  times: number
}

const none: readonly Around[] = []
const ofOne = '/64'
const timesOf56 = 4
const timesOf48 = 16

export function around(caller: string): readonly Around[] {
  if (!caller.endsWith(ofOne)) return none
  const groups = caller.slice(0, -ofOne.length).split('::')[0]?.split(':') ?? []
  const [first, second = '0', third = '0', fourth = '0'] = groups
  const site = `${first || '0'}:${second}:${third}`
  return [
    { name: `${site}:${Number.parseInt(fourth, 16) >> 8}/56`, times: timesOf56 },
    { name: `${site}/48`, times: timesOf48 },
  ]
}
