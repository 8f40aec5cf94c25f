/** The real world, as one process asks it. */
import manifest from '../../package.json' with { type: 'json' }
import { download } from './download.ts'
import { get } from './get.ts'
import type { Outside } from './outside.ts'

export interface OutsideOptions {
  at: Outside['at']
  contact: string
  rates?: Outside['rates']
  tell?: (line: string) => void
  summarise?: Outside['summarise']
  dataDir: string
  ipDatabase?: string | undefined
  now: () => number
}

/** Upstreams are told the release, not each repair of it. */
const release = manifest.version.replace(/\.\d+$/, '')

/** The real world, seen under one signal: that of the tick or the question it is asked for. */
export function createOutside(options: OutsideOptions): (signal: AbortSignal) => Outside {
  const userAgent = `Farebox/${release} (+${options.contact})`
  const { rates = { SEC: 8 }, tell = () => {} } = options
  return signal => ({
    ...options,
    rates,
    tell,
    signal,
    get: (url, request = {}) => get(url, request, userAgent, signal),
    download: (url, request) => download(url, request, userAgent, signal),
  })
}
