/** Variables of the environment, as the part that reads them declares them: for operators, for the check, and for itself. */
import { z } from 'zod'
import type { Role } from './roles.ts'

/** A bad value stops the start with one line: the variable, its value, and the value that it should have. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** The environment of a process. Each value alone has been found good. */
export interface Environment {
  /** No value is empty. */
  set: Readonly<Record<string, string | undefined>>
  roles: readonly Role[]
  dataDir: string
  /** Where callers find an origin. */
  addressOf(origin: string): string
}

export interface Variables<T = unknown, Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** Each with its check, its default and its description for operators. */
  shape: Shape
  /** What they mean for the part. Throws a ConfigError where they do not fit each other or the process. */
  read(environment: Environment): T
}

type Values<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

export function defineVariables<Shape extends z.ZodRawShape, T>(
  shape: Shape,
  meaning: (values: Values<Shape>, environment: Environment) => T,
): Variables<T, Shape> {
  const values = z.object(shape)
  return { shape, read: environment => meaning(values.parse(environment.set), environment) }
}

/** The value of the first that is given needs the other one too. */
export function together<Name extends string>(
  values: Readonly<Partial<Record<Name, unknown>>>,
  ...[one, other]: readonly [Name, Name]
): void {
  if (Boolean(values[one]) !== Boolean(values[other]))
    throw new ConfigError(`${values[one] ? other : one} is unset; ${one} and ${other} should be set together`)
}
