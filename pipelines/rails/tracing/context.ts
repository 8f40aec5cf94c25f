/** The position in a trace, as W3C writes it: `traceparent: 00-<trace>-<span>-<flags>`. */

export interface Context {
  traceId: string
  spanId: string
  isSampled: boolean
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined if the header is absent or invalid. Then a trace begins here. */
export function readContext(header: string | undefined): Context | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(header ?? '') ?? []
  const isKnown = version !== undefined && version !== 'ff' && !(version === '00' && more)
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const headerOf = ({ traceId, spanId, isSampled }: Context): string =>
  `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`
