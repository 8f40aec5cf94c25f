/**
 * Traces in OpenTelemetry's form. They are off unless an endpoint is set. One trace follows a paid call through this
 * process, to the facilitator, and over the log into the store.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Running } from '../running.ts'
import { type Context, headerOf, readContext } from './context.ts'
import { type Attributes, Exporter, type ExporterOptions } from './exporter.ts'
import { type Sampler, sampled } from './sampler.ts'

export interface TracingOptions extends ExporterOptions {
  sampler: Sampler
}

/** The numbers of OpenTelemetry. */
const kinds = { internal: 1, server: 2, client: 3, consumer: 5 }

interface SpanOptions {
  kind?: keyof typeof kinds
  attributes?: Attributes
  /** The W3C header of the sender that began the trace. If absent, the span belongs to the current work. */
  from?: string | undefined
}

interface Tracer {
  exporter: Exporter
  sampler: Sampler
}

const here = new AsyncLocalStorage<Context>()
let tracer: Tracer | undefined

/** Opens the traces of this process. */
export function openTracing({ sampler, ...options }: TracingOptions): Running {
  const exporter = new Exporter(options)
  tracer = { exporter, sampler }
  return {
    ended: new Promise(() => {}),
    close: async () => {
      tracer = undefined
      await exporter.close()
    },
  }
}

/** Does the work inside a span. Without tracing it only does the work. */
export function traced<T>(name: string, work: () => T, options?: SpanOptions): T {
  const span = beginSpan(name, options)
  if (!span) return work()
  return here.run(span.context, () => {
    let done: T
    try {
      done = work()
    } catch (error) {
      span.end(error)
      throw error
    }
    if (!(done instanceof Promise)) {
      span.end()
      return done
    }
    done.then(
      () => span.end(),
      error => span.end(error),
    )
    return done
  })
}

interface Span {
  context: Context
  end(error?: unknown): void
}

/** Begins a span that another function ends. Undefined without tracing, and outside of any trace. */
export function beginSpan(name: string, options: SpanOptions = {}): Span | undefined {
  const open = tracer
  if (!open) return undefined
  const { kind = 'internal', attributes = {}, from } = options
  const isRoot = 'from' in options
  const parent = isRoot ? readContext(from) : here.getStore()
  if (!parent && !isRoot) return undefined
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
  const context: Context = {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    isSampled: isRoot || !parent ? sampled(open.sampler, traceId, parent) : parent.isSampled,
  }
  const startedAt = Date.now()
  const began = performance.now()
  return {
    context,
    end: error => {
      if (!context.isSampled) return
      open.exporter.add({
        traceId,
        spanId: context.spanId,
        ...(parent && { parentSpanId: parent.spanId }),
        name,
        kind: kinds[kind],
        startTimeUnixNano: nanosOf(startedAt),
        endTimeUnixNano: nanosOf(startedAt + performance.now() - began),
        attributes,
        error,
      })
    },
  }
}

const nanosOf = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

/** The W3C header of the current work. Undefined outside of any trace. */
export function traceparent(): string | undefined {
  const context = tracer && here.getStore()
  return context && headerOf(context)
}
