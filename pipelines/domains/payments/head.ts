/** What a node says of a head of its chain. Its nonsense must not become a time: all that is final is held against it, for good. */

/** The number of a block or a slot. */
export const isPlace = (said: unknown): said is number => Number.isSafeInteger(said) && Number(said) >= 0

/** In milliseconds, as a Date can be. A node without the time of a slot says null, which must not become 1970. */
export const isTime = (said: unknown): said is number =>
  typeof said === 'number' && said > 0 && !Number.isNaN(new Date(said).getTime())

/** Of seconds that a node tells. NaN if it tells no number. */
export const msOf = (seconds: unknown): number => (typeof seconds === 'number' ? seconds * 1000 : Number.NaN)
