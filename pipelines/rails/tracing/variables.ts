/** The variables of traces, by the names that OpenTelemetry gives them. */
import { z } from 'zod'
import { code, httpUrl, text } from '../environment/kinds.ts'
import { defineVariables } from '../environment/variables.ts'
import { samplers } from './sampler.ts'
import type { TracingOptions } from './tracing.ts'

const headers = z
  .string()
  .regex(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/, 'name=value,name=value, percent-encoded')
  .transform(list =>
    Object.fromEntries(
      list.split(',').map(pair => {
        const [name = '', value = ''] = pair.split(/=(.*)/s)
        return [name, decodeURIComponent(value.trim())]
      }),
    ),
  )

const shape = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl('the base address of an OpenTelemetry collector')
    .optional()
    .describe('an OpenTelemetry collector (OTLP over HTTP, without `/v1/traces`); no traces if unset'),
  OTEL_EXPORTER_OTLP_HEADERS: headers
    .optional()
    .describe('headers for it, `name=value,name=value`, percent-encoded'),
  OTEL_SERVICE_NAME: text('a name').default('farebox').describe('the name of this service in traces'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `one of ${samplers.join(' ')}`)
    .default('parentbased_always_on')
    .describe(code(samplers)),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine(given => Number(given) >= 0 && Number(given) <= 1, 'a share, 0 to 1')
    .transform(Number)
    .default(1)
    .describe('the share of traces that `traceidratio` keeps'),
}

/** Undefined if no collector is set. */
export const tracingVariables = defineVariables(
  shape,
  ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_EXPORTER_OTLP_HEADERS: headers = {},
    OTEL_SERVICE_NAME: service,
    OTEL_TRACES_SAMPLER: name,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  }): (Pick<TracingOptions, 'url' | 'headers' | 'sampler'> & { service: string }) | undefined =>
    collector === undefined
      ? undefined
      : { url: `${collector}/v1/traces`, headers, service, sampler: { name, ratio } },
)
