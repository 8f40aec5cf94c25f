/**
 * Refuses values that ClickHouse would change without an error: it wraps integers, cuts decimals, clamps days and turns
 * a missing value into 0.
 */
import type { Dataset } from '../../../schemas/dataset/dataset.ts'

/** Says what is wrong with a value, or undefined. */
type Check = (value: unknown) => string | undefined

const checks = new WeakMap<Dataset, (event: Record<string, unknown>) => string | undefined>()

/** Says why the columns of the dataset cannot hold this event unchanged, or undefined. */
export function misfit(dataset: Dataset, event: Record<string, unknown>): string | undefined {
  let check = checks.get(dataset)
  if (!check) {
    const columns = Object.entries(dataset.fields).map(
      ([name, { column }]) => [name, checkOf(column)] as const,
    )
    check = row => {
      let known = 0
      for (const [name, fits] of columns) {
        const value = row[name]
        const wrong = fits(value)
        if (wrong) return `${name}: ${wrong}`
        if (value !== undefined) known++
      }
      // Rows have no names in an insert, so ClickHouse would not see an unknown column.
      const names = Object.keys(row)
      if (names.length <= known) return undefined
      const unknown = names.find(name => !Object.hasOwn(dataset.fields, name))
      return unknown && `${unknown}: unknown`
    }
    checks.set(dataset, check)
  }
  return check(event)
}

function checkOf(column: string): Check {
  const [, outer = column, inner = ''] = /^(\w+)\((.*)\)$/s.exec(column) ?? []
  const parts = split(inner)
  if (outer === 'Nullable') return unless(value => value == null, checkOf(inner))
  if (outer === 'LowCardinality') return checkOf(inner)
  const held = content(outer, parts)
  return value => (value == null ? `is missing, and ${column} holds no null` : held(value))
}

function content(outer: string, parts: string[]): Check {
  const inner = parts.map(part => part.trim())
  if (outer === 'Array') {
    const item = checkOf(inner[0] ?? '')
    return value => first(value as unknown[], item)
  }
  if (outer === 'Map') {
    const item = checkOf(inner[1] ?? '')
    return value => first(Object.entries(value as object), ([key, held]) => prefixed(key, item(held)))
  }
  if (outer === 'Tuple') {
    const named = inner.map(
      part => [part.slice(0, part.indexOf(' ')), checkOf(part.slice(part.indexOf(' ') + 1))] as const,
    )
    return value =>
      first(named, ([name, item]) => prefixed(name, item((value as Record<string, unknown>)[name])))
  }
  if (outer === 'Decimal') return decimal(Number(inner[1] ?? 0))
  if (outer === 'Date')
    return unless(value => '1970-01-01' <= `${value}` && `${value}` <= '2149-06-06', outside(outer))
  const [, unsigned, bits] = /^(U?)Int(\d+)$/.exec(outer) ?? []
  return bits ? integer(outer, BigInt(bits), unsigned === 'U') : () => undefined
}

const outside =
  (column: string): Check =>
  value =>
    `${value} is outside of ${column}`

function integer(column: string, bits: bigint, unsigned: boolean): Check {
  const [lowest, highest] = unsigned ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]
  return unless(value => {
    // A number that JavaScript holds exactly is compared as it is.
    if (Number.isSafeInteger(value)) return lowest <= (value as number) && (value as number) <= highest
    if (!/^-?\d+$/.test(`${value}`)) return false
    const number = BigInt(`${value}`)
    return lowest <= number && number <= highest
  }, outside(column))
}

function decimal(scale: number): Check {
  const pattern = new RegExp(scale ? `^-?\\d+(\\.\\d{1,${scale}}0*)?$` : '^-?\\d+$')
  return unless(
    value => pattern.test(`${value}`),
    value => `${value} is not a decimal with ${scale} digits after the point`,
  )
}

const unless =
  (fits: (value: unknown) => boolean, check: Check): Check =>
  value =>
    fits(value) ? undefined : check(value)

const prefixed = (name: string, wrong: string | undefined): string | undefined => wrong && `${name}: ${wrong}`

function first<T>(items: Iterable<T>, check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const wrong = check(item)
    if (wrong) return wrong
  }
  return undefined
}

/** Splits a list at the commas outside brackets. */
function split(list: string): string[] {
  const parts = ['']
  let depth = 0
  for (const letter of list) {
    if (letter === '(') depth++
    if (letter === ')') depth--
    if (letter === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts
}
