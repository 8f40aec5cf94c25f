/** The process as roles see it: its offer to parts, and the way it opens and watches them. */
import type { Given, Part, Process } from '../../pipelines/rails/process.ts'
import type { Config } from '../config/config.ts'
import type { HealthParts } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Payees } from './payees.ts'

export interface RoleProcess extends Process {
  config: Config
  lifecycle: Lifecycle
  /** The variables of the upstreams that a bundled sample replaces. */
  samples: ReadonlySet<string>
  warn: (part: string) => Process['onFailed']
  parts: HealthParts
  named: Payees
}

/** The process as a part sees it. Failures are reported under the part's name. */
export const ownedBy = (process: RoleProcess, part: string): Process => ({
  ...process,
  onFailed: process.warn(part),
})

/** Opens each part once, at the first request. */
export function opening(
  lifecycle: Lifecycle,
  processFor: (part: string) => Process,
  given: readonly Given[],
) {
  const opened = new Map<Part, unknown>(given)
  return async <T>(part: Part<T>): Promise<T> => {
    if (!opened.has(part))
      opened.set(
        part,
        lifecycle.use(part.name, () => part.open(processFor(part.name))),
      )
    return opened.get(part) as T | Promise<T>
  }
}
