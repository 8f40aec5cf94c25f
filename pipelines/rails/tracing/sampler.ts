/** Decides which traces are kept, by OpenTelemetry's sampler names. */
import type { Context } from './context.ts'

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export interface Sampler {
  name: (typeof samplers)[number]
  /** For `traceidratio`, 0 to 1. */
  ratio: number
}

/** Only the trace id and the parent decide, so all processes keep the same traces. */
export function sampled({ name, ratio }: Sampler, traceId: string, parent: Context | undefined): boolean {
  if (name.startsWith('parentbased_') && parent) return parent.isSampled
  if (name.endsWith('always_on')) return true
  if (name.endsWith('always_off')) return false
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52
}
