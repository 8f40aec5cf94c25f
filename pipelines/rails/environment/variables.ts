/** Variables of the environment, as the part that reads them declares them: for operators, for the check, and for itself. */
import { z } from 'zod'
import type { Role } from './roles.ts'

/** A bad value stops the start with one line: the variable, its value, and the value that it should have. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** The environment of a process. Each value has passed its own check. */
export interface Environment {
  /** No value is empty. */
  set: Readonly<Record<string, string | undefined>>
  roles: readonly Role[]
  dataDir: string
  /** The address of an origin for callers. */
  addressOf(origin: string): string
}

export interface Variables<T = unknown, Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** Each with its check, its default and its description for operators. */
  shape: Shape
  /** Turns the values into what the part needs. Throws a ConfigError if they contradict each other or the process. */
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

/** Throws a ConfigError if only one of the two variables is set. */
export function together<Name extends string>(
  values: Readonly<Partial<Record<Name, unknown>>>,
  ...[one, other]: readonly [Name, Name]
): void {
  if (Boolean(values[one]) !== Boolean(values[other]))
    throw new ConfigError(`${values[one] ? other : one} is unset; ${one} and ${other} should be set together`)
}
