/**
 * farebox: what is sold is written with this, in this tree and outside of it. A module of `from: { module }` has an answer alone; an origin
 * in code has all that a built-in one has.
 */
import type { defineOperation as defineWhole } from '../operation.ts'
import type { DefineModule } from './module.ts'
import { safeFetch } from './safe-fetch.ts'

export { z } from 'zod'
export type { Lookup } from '../../../pipelines/lookups/lookup.ts'
export { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
export { exact } from '../../../schemas/values/values.ts'
export { number, Serialised } from '../answer.ts'
export { batchOf } from '../batch.ts'
export { Failure } from '../errors.ts'
export { defineFree, type Held, type Operation, type Refusal, type Tools } from '../operation.ts'
export { defineOrigin, type Origin } from '../origin.ts'
export { placeField } from '../place.ts'
export type { ModuleOperation, ModuleTools } from './module.ts'
export { viewLookup } from './view-lookup.ts'

/** An operation as a whole, or the answer alone of one whose file says the rest. */
export const defineOperation = ((operation: object) => operation) as typeof defineWhole & DefineModule

/** Asks public addresses only: what is dialled is what was checked. */
export const fetch = safeFetch([])
