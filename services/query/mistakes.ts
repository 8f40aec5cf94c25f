/** Explains in plain words why a question does not fit its schema, if the schema has no words of its own. */
import type { z } from 'zod'

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : (kinds[typeof value] ?? typeof value)

type Issue = Parameters<z.core.$ZodErrorMap>[0]

export function mistake(issue: Issue): string | undefined {
  const atTop = !issue.path?.length
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = kinds[issue.expected] ?? issue.expected
      if (issue.input === undefined) return `is missing: it should be ${wanted}`
      return `${atTop ? 'The body' : 'it'} should be ${wanted}, and is ${kindOf(issue.input)}`
    }
    case 'unrecognized_keys':
      return `There is no field ${named(issue.keys)}${known(issue.inst)}`
    case 'too_small':
      return `it should ${amount(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`
    case 'too_big':
      return `it should ${amount(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`
    case 'invalid_value':
      return `it should be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      return 'it has none of the forms that it may have'
    default:
      return undefined
  }
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

const amount = (origin: string, bound: number | bigint, words: string): string => {
  const unit = units[origin]?.[Number(bound) === 1 ? 0 : 1]
  return unit ? `have ${words} ${bound} ${unit}` : `be ${words} ${bound}`
}

const [mostNamed, mostOfName] = [5, 100]

const named = (keys: readonly string[]): string => {
  const told = keys.slice(0, mostNamed).map(key => `"${key.slice(0, mostOfName).toWellFormed()}"`)
  return [...told, ...(keys.length > mostNamed ? [`and ${keys.length - mostNamed} more`] : [])].join(', ')
}

function known(schema: unknown): string {
  const { shape } = (schema as { def?: { shape?: object } } | undefined)?.def ?? {}
  const names = Object.keys(shape ?? {})
  return names.length ? `; there are ${names.join(', ')}` : '; the question takes none'
}
