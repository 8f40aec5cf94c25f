/** Calls together with the meaning of their answers, so that many questions fit into one look. */
import type { ContractCall } from './call.ts'
import type { Returned } from './words.ts'

export interface Plan<T> {
  calls: readonly ContractCall[]
  read(returned: readonly Returned[]): T
}

export const each = <T>(plans: readonly Plan<T>[]): Plan<T[]> => ({
  calls: plans.flatMap(({ calls }) => calls),
  read(returned) {
    let at = 0
    return plans.map(({ calls, read }) => {
      const from = at
      at += calls.length
      return read(returned.slice(from, at))
    })
  },
})

type Named = Record<string, Plan<unknown>>
type Meant<Plans extends Named> = { [Name in keyof Plans]: Plans[Name] extends Plan<infer T> ? T : never }

export function together<Plans extends Named>(plans: Plans): Plan<Meant<Plans>> {
  const names = Object.keys(plans)
  const whole = each(names.map(name => plans[name] as Plan<unknown>))
  return {
    calls: whole.calls,
    read: returned =>
      Object.fromEntries(whole.read(returned).map((meant, i) => [names[i], meant])) as Meant<Plans>,
  }
}
