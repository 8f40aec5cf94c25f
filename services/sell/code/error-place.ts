/** The place in a file that an error of its loading names. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Undefined: it names none. */
export function placeIn(file: string, { stack = '' }: Error): { line: number; column: number } | undefined {
  const name = [pathToFileURL(resolve(file)).href, resolve(file)].find(each => stack.includes(`${each}:`))
  const [found, line, column = 1] = /^(\d+)(?::(\d+))?/.exec(stack.split(`${name}:`)[1] ?? '') ?? []
  return found === undefined ? undefined : { line: Number(line), column: Number(column) }
}
