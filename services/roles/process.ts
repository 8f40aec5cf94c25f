/** The process as roles have it: what it offers its parts, and how those are opened and watched. */
import type { Given, Part, Process } from '../../pipelines/rails/process.ts'
import type { Config } from '../config/config.ts'
import type { HealthParts } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'

export interface RoleProcess extends Process {
  config: Config
  lifecycle: Lifecycle
  /** The variables of the upstreams that a bundled sample replaces. */
  samples: ReadonlySet<string>
  warn: (part: string) => Process['onFailed']
  parts: HealthParts
}

/** The process as a part has it, whose failures are told under its name. */
export const ownedBy = (process: RoleProcess, part: string): Process => ({
  ...process,
  onFailed: process.warn(part),
})

/** Opens each part once, whoever asks for it first. */
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
