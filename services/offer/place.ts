/** A field of a question that names a place. Its page suggests some while it is written; its schema says nothing of that. */
import type { z } from 'zod'

/** `address`: a city, a ZIP or a street of the US. `airport`: a code of one. */
export const placeKinds = ['address', 'airport', 'coordinates'] as const
export type PlaceKind = (typeof placeKinds)[number]

const kinds = new WeakMap<z.ZodType, PlaceKind>()

export function placeField<T extends z.ZodType>(kind: PlaceKind, type: T): T {
  kinds.set(type, kind)
  return type
}

export const placeKindOf = (type: z.ZodType | undefined): PlaceKind | undefined => type && kinds.get(type)
