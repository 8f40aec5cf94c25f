/**
 * An origin in code, outside of this tree: it is sold in the process that sells, as a built-in one is, and is written against the same
 * package.
 */
import { createRequire, registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { Operation } from '../../offer/operation.ts'
import type { Origin } from '../../offer/origin.ts'
import { mistake } from '../../query/mistakes.ts'
import type { Fault } from '../document.ts'
import { originName, pathForm, price } from '../form.ts'
import { nameFault, placeFaults, type ReadFile, type SellContext } from '../origin.ts'
import { placeIn } from './error-place.ts'
import { isOfPackage } from './package-name.ts'

export const isCode = (file: string): boolean => /\.[cm]?[jt]s$/.test(file)

let isHooked = false
function findPackage(): void {
  if (isHooked) return
  isHooked = true
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, isOfPackage(specifier) ? { ...context, parentURL: import.meta.url } : context),
  })
}

const named = z.string().regex(/^[a-z]\w{1,60}$/i, 'a name in letters and digits')
const path = z.string().regex(pathForm, 'a path such as /tide')
const isFunction = z.custom((given: unknown) => typeof given === 'function', 'a function')
const isType = z.custom((given: unknown) => given instanceof z.ZodType, 'a type of z, which farebox exports')

/** What the types of the package say, for who writes JavaScript. */
const endpoint = z.looseObject({
  ...{ id: named, path, title: z.string(), about: z.string(), tags: z.array(z.string()) },
  ...{ request: isType, response: isType, answer: isFunction },
  refusals: z.record(z.string(), z.looseObject({ status: z.int(), about: z.string() })),
  example: z.looseObject({ request: z.unknown() }),
})
const form = z.looseObject({
  name: originName,
  ...{ title: z.string(), version: z.string() },
  address: z.string().regex(/^[A-Z][A-Z0-9]*_URL$/, 'the variable of its address, such as TIDES_URL'),
  operations: z.array(endpoint.extend({ price, costs: z.enum(['held', 'looked up', 'costly']) })).min(1),
  free: z.array(endpoint),
  pages: z.array(z.looseObject({ path: z.string(), answer: isFunction })),
})

export function codeOriginOf(file: string, context: SellContext): ReadFile {
  findPackage()
  let given: unknown
  try {
    given = (createRequire(import.meta.url)(resolve(file)) as { default?: unknown }).default
  } catch (error) {
    return { faults: [faultAt(file, error)] }
  }
  const fault = (message: string): Fault => ({ line: 1, column: 1, message })
  const read = form.safeParse(given, { error: mistake })
  if (!read.success)
    return {
      faults: read.error.issues.map(({ path, message }) =>
        fault(
          path.length ? `${path.join('.')}: ${message}` : 'it should export defineOrigin({ … }) as default',
        ),
      ),
    }
  const origin = ofCode(given as Origin)
  const faults = [
    ...nameFault(origin, context),
    ...placesOf(origin).flatMap((place, i, all) =>
      placeFaults(place, all.slice(0, i) as Operation[], context).map(told => `${place.path}: ${told}`),
    ),
  ].map(fault)
  return faults.length ? { faults } : { faults, forms: {}, origin }
}

/** Its lineage ends here: its code is not of this tree. */
const ofCode = (origin: Origin): Origin => ({
  ...origin,
  operations: origin.operations.map(each => ({ ...each, source: { kind: 'code', reads: [] } })),
})

const placesOf = ({ operations, free, pages }: Origin): Pick<Operation, 'id' | 'path'>[] => [
  ...operations,
  ...free,
  ...pages.map(page => ({ id: page.path, path: page.path as `/${string}` })),
]

/** The place in the file, where the error names it. */
function faultAt(file: string, error: unknown): Fault {
  const { message } = error as Error
  return { line: 1, column: 1, ...placeIn(file, error as Error), message: `it cannot be loaded: ${message}` }
}
