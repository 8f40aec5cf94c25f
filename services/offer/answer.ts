/** Types an answer by its schema: a missing or misspelt field, or one of another type, does not compile. */
import type { z } from 'zod'
import type { Exact } from '../../schemas/values/values.ts'

declare const written: unique symbol
type Json<T> = string & { readonly [written]: T }

/** An answer as JSON text, so that many calls share one serialisation. */
export class Serialised<T = unknown> {
  readonly json: Json<T>
  constructor(value: T) {
    this.json = JSON.stringify(value) as Json<T>
  }

  /** An answer that is JSON text already, and whose numbers keep their digits. */
  static written(json: string): Serialised<never> {
    const serialised: { -readonly [Key in keyof Serialised<never>]: Serialised<never>[Key] } = new Serialised(
      null as never,
    )
    serialised.json = json as Json<never>
    return serialised
  }
}

/** The JSON text of an answer. */
export const jsonOf = (answer: unknown): string =>
  answer instanceof Serialised ? answer.json : JSON.stringify(answer)

/** The answers that an endpoint with this response may return. */
export type AnswerOf<Response extends z.ZodType> = Answer<Frozen<z.input<Response>>>
type Answer<T> = T | Serialised<T>

/** Answers are read-only, so they may contain lists and rows that other code reads. */
export type Frozen<T> = unknown extends T
  ? T
  : T extends Plain
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Frozen<Item>[]
      : { readonly [Key in keyof T]: Frozen<T[Key]> }

/** Makes a number that JSON prints with exactly these digits. */
export const number = (decimal: string): Exact => JSON.rawJSON(decimal) as unknown as Exact

/** Reads an answer. JSON prints it again with the digits of every number, which may be more than a number of JavaScript holds. */
export function withItsDigits(json: string): unknown {
  const plain: unknown = JSON.parse(json)
  // Reading each number as it was printed takes ten times as long. Most answers do not need it.
  return JSON.stringify(plain) === json ? plain : JSON.parse(json, asPrinted as never)
}

const asPrinted = (_name: string, value: unknown, { source }: { source: string }) =>
  typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value

declare global {
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/**
 * Names the path of each field that the response does not declare. TypeScript alone finds such a field only in an object literal
 * that is returned directly, not in a mapped list or behind a condition.
 */
export type Undeclared<Given, Response extends z.ZodType> = Extra<Content<Given>, z.input<Response>>

type Content<Given> = Given extends Serialised<infer Value> ? Value : Given
type Plain = string | number | bigint | boolean | symbol | null | undefined

type Extra<Given, Declared, At extends string = ''> = unknown extends Given
  ? never
  : unknown extends Declared
    ? never
    : Given extends Plain
      ? never
      : Given extends readonly (infer Item)[]
        ? Extra<Item, Declared extends readonly (infer DeclaredItem)[] ? DeclaredItem : never, `${At}[]`>
        : {
            [Key in keyof Given & string]: Key extends KeyOf<Declared>
              ? Extra<Given[Key], ValueAt<Declared, Key>, Path<At, Key>>
              : Path<At, Key>
          }[keyof Given & string]

type KeyOf<T> = T extends Plain ? never : keyof T
type ValueAt<T, Key> = T extends Plain ? never : Key extends keyof T ? T[Key] : never
type Path<At extends string, Key extends string> = At extends '' ? Key : `${At}.${Key}`
