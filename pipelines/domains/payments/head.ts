/** What a node says of a head of its chain. Its nonsense must not become a time: all that is final is held against it, for good. */

/** The number of a block or a slot. */
export const isPlace = (said: unknown): said is number => Number.isSafeInteger(said) && Number(said) >= 0

/** In milliseconds, as a Date can be. */
export const isTime = (said: unknown): said is number =>
  typeof said === 'number' && said >= 0 && !Number.isNaN(new Date(said).getTime())
