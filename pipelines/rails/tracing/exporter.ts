/** Sends spans to an OpenTelemetry collector, as JSON over HTTP. If the collector is away, spans are lost, but no call. */
import { reasonOf } from '../failures.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface ExporterOptions {
  /** The collector's address for traces. */
  url: string
  headers: Readonly<Record<string, string>>
  /** Identifies the process. */
  resource: Attributes
  onError(error: unknown): void
  delayMs?: number
}

interface EndedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attributes
  error: unknown
}

const mostWaiting = 2048
const batch = 512
const sendMs = 10_000
const complainMs = 60_000

export class Exporter {
  readonly #options: ExporterOptions
  #waiting: EndedSpan[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()
  #complainedAt = -Infinity

  constructor(options: ExporterOptions) {
    this.#options = options
  }

  add(span: EndedSpan): void {
    if (this.#waiting.length >= mostWaiting) return
    this.#waiting.push(span)
    if (this.#waiting.length >= batch) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), this.#options.delayMs ?? 2_000)
  }

  async close(): Promise<void> {
    this.#flush()
    await this.#sending
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const spans = this.#waiting
    if (!spans.length) return
    this.#waiting = []
    this.#sending = this.#sending.then(() => this.#send(spans)).catch(error => this.#complain(error))
  }

  async #send(spans: readonly EndedSpan[]): Promise<void> {
    const { url, headers, resource } = this.#options
    const body = {
      resourceSpans: [
        {
          resource: { attributes: written(resource) },
          scopeSpans: [{ scope: { name: 'farebox' }, spans: spans.map(spanJson) }],
        },
      ],
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(sendMs),
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`the collector of traces answered ${response.status}`)
  }

  #complain(error: unknown): void {
    if (performance.now() - this.#complainedAt < complainMs) return
    this.#complainedAt = performance.now()
    this.#options.onError(new Error(`traces were lost: ${reasonOf(error)}`))
  }
}

const spanJson = ({ error, attributes, ...span }: EndedSpan) => ({
  ...span,
  attributes: written(attributes),
  status: error === undefined ? {} : { code: 2, message: codeOf(error) },
})

/** A message may hold what a caller sent. A code does not. */
const codeOf = (error: unknown): string =>
  (error as { code?: unknown }).code === undefined
    ? (error as Error).name
    : String((error as { code: unknown }).code)

const written = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : { doubleValue: value },
  }))
