/** The questions of one day: few places often, many places seldom, most of them near a town. */
import { feature, nameOf, toAlert } from '../../pipelines/sources/alerts/feature.ts'
import { weatherAlerts } from '../../schemas/weather-alerts.ts'
import type { Shelf } from '../../services/query/shelf.ts'
import { alertFeature } from '../pipelines/sources/nws-alerts.ts'
import { stock } from '../services/origins/ask.ts'

/** Draws the same numbers in every run (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Draws ranks by Zipf's law: the second comes half as often as the first, the third a third as often. */
export function zipf(count: number, random: () => number): () => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) {
    sum += 1 / (i + 1)
    sums[i] = sum
  }
  return () => {
    const wanted = random() * sum
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

const towns = 2_000

export function pointOf(rank: number): { lat: number; lon: number } {
  const near = randomFrom(rank % towns)
  const within = randomFrom(rank + 1_000_003)
  return {
    lat: Number((32 + near() * 14 + within() * 0.1).toFixed(4)),
    lon: Number((-118 + near() * 38 + within() * 0.1).toFixed(4)),
  }
}

export const addressOf = (rank: number) => `${rank + 1} Main St NW, Washington, DC 20500`

export function hundredsOfAlerts(shelf: Shelf): void {
  const alerts = Array.from({ length: 500 }, (_, i) => {
    const { lat, lon } = pointOf(i)
    const ring = [
      [lon, lat],
      [lon + 0.5, lat],
      [lon + 0.5, lat + 0.5],
      [lon, lat + 0.5],
      [lon, lat],
    ] as [number, number][]
    const zones = [i % 200 ? `forecast/ZZZ${100 + (i % 899)}` : 'forecast/DCZ001']
    return alertFeature({ id: `${i}`, zones, ends: '2026-12-31T00:00:00Z', ...(i % 5 === 0 && { ring }) })
  })
  stock(
    shelf,
    weatherAlerts,
    alerts.map(given => {
      const read = feature.parse(given)
      return toAlert(nameOf(read.properties.id), read)
    }),
  )
}
