import { describe, expect, it } from 'vitest'
import { Lateness } from '../../../services/roles/lateness.ts'

const end = (...offsets: number[]) => new Map(offsets.map((offset, i) => [i, BigInt(offset)]))

describe('the lateness of a reader', () => {
  it('is nothing once it has handled all', () => {
    const lateness = new Lateness()
    expect(lateness.measure('sink', 0, end(5), 0)).toBe(0)
    expect(lateness.measure('sink', 0, end(9), 1000)).toBe(0)
  })

  it('is the time since the oldest waiting record was first seen, over all partitions', () => {
    const lateness = new Lateness()
    lateness.measure('sink', 0, end(5, 5), 0)
    expect(lateness.measure('sink', 2, end(6, 6), 1000)).toBe(0)
    expect(lateness.measure('sink', 5, end(8, 7), 3000)).toBe(2000)
    // The sink handles the first two records. The oldest of the others came at 3000.
    expect(lateness.measure('sink', 3, end(8, 7), 4000)).toBe(1000)
    expect(lateness.measure('sink', 0, end(8, 7), 5000)).toBe(0)
  })

  it('goes on growing while it stands still, however often it is measured', () => {
    const lateness = new Lateness()
    for (let n = 0; n <= 2000; n++) lateness.measure('sink', n + 1, end(n + 1), n)
    expect(lateness.measure('sink', 2001, end(2001), 5000)).toBe(5000)
  })
})
