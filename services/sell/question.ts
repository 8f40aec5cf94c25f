/** The question of an operation, from the fields of the file. */
import { z } from 'zod'
import type { FieldForm } from './form.ts'
import { costOf } from './pattern-cost.ts'

/** Reports what is wrong with one word of the field. */
type Tell = (word: string, message: string) => void

/** A text without a bound of its own. */
const usualLength = 1_000
/** A number without bounds of its own. Beyond it, digits are lost. */
const largest = 1e15
const usualItems = 100
/** A pattern may try a text in so many ways. */
const mostCost = 2e6

const formats = {
  date: () => z.iso.date(),
  'date-time': () => z.iso.datetime({ offset: true }),
  uuid: () => z.uuid(),
  ipv4: () => z.ipv4(),
  ipv6: () => z.ipv6(),
  email: () => z.email(),
} as const

const every = ['type', 'says', 'description', 'default', 'optional']
/** The words that mean something for a type. */
const wordsOf: Record<FieldForm['type'], readonly string[]> = {
  string: ['enum', 'minLength', 'maxLength', 'pattern', 'format'],
  number: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required'],
}

/** `times`: so many of it may stand in one question. */
export function fieldType(field: FieldForm, tell: Tell, times = 1): z.ZodType {
  for (const word of Object.keys(field))
    if (!every.includes(word) && !wordsOf[field.type].includes(word))
      tell(word, `${word} says nothing about ${field.type}`)
  const about = field.says ?? field.description
  const bare = bareType(field, tell, times)
  const described = about === undefined ? bare : bare.describe(about)
  if (field.optional && field.default !== undefined)
    tell('optional', 'a field with a default is never absent')
  if (field.default === undefined) return field.optional ? described.optional() : described
  if (!bare.safeParse(field.default).success) tell('default', 'it does not fit the field itself')
  return described.default(field.default as never)
}

function bareType(field: FieldForm, tell: Tell, times: number): z.ZodType {
  switch (field.type) {
    case 'string':
      return field.enum ? oneOf(field, 'string', tell) : textType(field, tell, times)
    case 'number':
    case 'integer':
      return field.enum ? oneOf(field, 'number', tell) : numberType(field)
    case 'boolean':
      return z.boolean()
    case 'array':
      return listType(field, tell, times)
    case 'object':
      return objectType(field, tell, times)
  }
}

function oneOf({ type, enum: values = [] }: FieldForm, kind: 'string' | 'number', tell: Tell): z.ZodType {
  const isFit = (value: unknown) => typeof value === kind && (type !== 'integer' || Number.isInteger(value))
  if (!values.every(isFit)) tell('enum', `each of its values should be of the type ${type}`)
  if (new Set(values).size !== values.length) tell('enum', 'a value stands in it twice')
  return z.literal(values as [string, ...string[]])
}

function textType(
  { minLength = 0, maxLength = usualLength, pattern, format }: FieldForm,
  tell: Tell,
  times: number,
): z.ZodType {
  const base = format ? formats[format]() : z.string()
  // A text that is too long is not looked at any further.
  let type: z.ZodString | z.ZodStringFormat = base.max(maxLength, {
    error: `it should have at most ${maxLength} characters`,
    abort: true,
  })
  if (minLength > 0) type = type.min(minLength)
  if (pattern !== undefined) {
    const cost = costOf(pattern, maxLength)
    if (typeof cost === 'string') tell('pattern', cost)
    else if (cost * times > mostCost)
      tell(
        'pattern',
        `${times === 1 ? 'a text' : `${times} texts`} of ${maxLength} characters could take it ${mostCost} steps and more: set a smaller maxLength${times === 1 ? '' : ' or maxItems'}, or repeat less`,
      )
    else type = type.regex(new RegExp(pattern, 'u'))
  }
  return type.refine(text => text.isWellFormed(), 'half of a surrogate pair is no character')
}

function numberType(field: FieldForm): z.ZodType {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field
  let number = type === 'integer' ? z.int() : z.number()
  if (minimum !== undefined) number = number.min(minimum)
  if (maximum !== undefined) number = number.max(maximum)
  if (exclusiveMinimum !== undefined) number = number.gt(exclusiveMinimum)
  if (exclusiveMaximum !== undefined) number = number.lt(exclusiveMaximum)
  if (minimum === undefined && exclusiveMinimum === undefined) number = number.min(-largest)
  if (maximum === undefined && exclusiveMaximum === undefined) number = number.max(largest)
  return multipleOf === undefined ? number : number.multipleOf(multipleOf)
}

function listType(
  { items, minItems = 0, maxItems = usualItems }: FieldForm,
  tell: Tell,
  times: number,
): z.ZodType {
  if (!items) tell('type', 'a list should say what its items are')
  const type = items
    ? fieldType(items, (word, message) => tell('items', `${word}: ${message}`), times * maxItems)
    : z.unknown()
  return z.array(type).min(minItems).max(maxItems)
}

function objectType({ properties = {}, required = [] }: FieldForm, tell: Tell, times: number): z.ZodType {
  for (const name of required)
    if (!Object.hasOwn(properties, name)) tell('required', `${name} is not one of its properties`)
  const shape = Object.entries(properties).map(([name, field]) => {
    const type = fieldType(field, (word, message) => tell('properties', `${name}.${word}: ${message}`), times)
    return [
      name,
      required.includes(name) || field.default !== undefined || field.optional ? type : type.optional(),
    ] as const
  })
  return z.strictObject(Object.fromEntries(shape))
}
