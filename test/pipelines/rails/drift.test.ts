import { describe, expect, it } from 'vitest'
import { driftOf, setDrift } from '../../../pipelines/rails/drift.ts'

const known = { id: 'string', ends: 'string|null', note: 'string?' }
const good = { id: 'a', ends: null }

describe('the drift of records', () => {
  it('is empty while they look as expected', () => {
    expect(driftOf(known, [good, { ...good, ends: 'now', note: 'b' }])).toEqual([])
    expect(driftOf(known, [])).toEqual([])
  })

  it('reports an unknown field once, with a sample', () => {
    const drifted = { ...good, colour: ['red'] }
    expect(driftOf(known, [good, drifted, drifted])).toEqual([
      { kind: 'unknown', what: 'colour', sample: '["red"]' },
    ])
  })

  it('reports a field that no record has any more, unless it is optional', () => {
    expect(driftOf(known, [{ id: 'a' }])).toEqual([{ kind: 'vanished', what: 'ends', sample: '{"id":"a"}' }])
  })

  it('reports a value of another type', () => {
    expect(driftOf(known, [{ ...good, id: 7 }])).toEqual([{ kind: 'type', what: 'id', sample: '7' }])
  })

  it('reports what came to a set and what left it', () => {
    expect(setDrift('currencies', ['USD', 'BGN'], ['USD', 'XYZ'])).toEqual([
      { kind: 'set', what: 'currencies', sample: '+XYZ -BGN' },
    ])
    expect(setDrift('currencies', ['USD'], ['USD'])).toEqual([])
  })
})
