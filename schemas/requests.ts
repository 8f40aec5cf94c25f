/** A dataset of requests: work that one role asks another to do now, and the outcome. */
import { z } from 'zod'
import { type Dataset, defineDataset, type Fields, field, type RowOf, readEvent } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const outcome = {
  state: field(
    z.enum(['asked', 'loaded', 'unknown', 'failed']),
    'String',
    'asked, then one of: loaded: all that it asked for is in the log; unknown: there is no such thing; failed: the upstream could not say',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
  reason: field(z.string().nullable(), 'Nullable(String)', 'Why it failed'),
}

export type RequestOutcome = RowOf<typeof outcome>
export type RequestReply<Asked> = Asked & RequestOutcome

/** `Asked` is the content of a request. The requester is not recorded. */
export interface Requests<Asked = unknown> extends Dataset {
  /** Two requests with the same name ask for the same thing. */
  nameOf(asked: Asked): string
  /** Undefined if the text is not a known request. */
  read(text: string | null): RequestReply<Asked> | undefined
}

/** The result of a request is looked up under its key. */
export function defineRequests<const F extends Fields>(spec: {
  name: string
  about: string
  asked: F
  key: readonly (keyof F & string)[]
}): Requests<RowOf<F>> {
  const columns = Object.keys(spec.asked)
  const fields: Fields = { ...spec.asked, ...outcome }
  const dataset = defineDataset<Fields>({
    name: spec.name,
    about: spec.about,
    fields,
    key: spec.key,
    identity: [...columns, 'state', 'at'],
    audience: 'log',
    keep: { ms: 60 * 60_000 },
  })
  return {
    ...dataset,
    nameOf: asked =>
      columns
        .map(column => asked[column] as unknown)
        .map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
        .join(' '),
    read: text =>
      text === null ? undefined : (readEvent(dataset, text).event as RequestReply<RowOf<F>> | undefined),
  }
}

export const isRequests = (dataset: Dataset): dataset is Requests => 'nameOf' in dataset
