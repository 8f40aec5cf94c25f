/** Reads a body as JSON of a given shape. A body of another shape is a failure of the upstream. */
import type { z } from 'zod'
import { UpstreamFailed } from '../failures.ts'

export function readJson<T extends z.ZodType>(shape: T, text: string, from: string): z.output<T> {
  const read = shape.safeParse(parse(text, from))
  if (!read.success) throw new UpstreamFailed(`${from} answered with JSON of another shape`)
  return read.data
}

function parse(text: string, from: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UpstreamFailed(`${from} answered with text that is not JSON`)
  }
}
