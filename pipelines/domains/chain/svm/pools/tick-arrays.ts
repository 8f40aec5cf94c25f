/** Ticks and bins are stored in arrays. A read takes the array of the price and four on each side. */
const arraysEachWay = 4

export function arrayStarts(tick: number, span: number): number[] {
  const here = Math.floor(tick / span) * span
  return Array.from({ length: 2 * arraysEachWay + 1 }, (_, i) => here + (i - arraysEachWay) * span)
}
