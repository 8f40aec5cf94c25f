import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineDataset, field } from '../../../schemas/dataset/dataset.ts'
import { eventsIn, packed } from '../../../schemas/dataset/packed-events.ts'

const fields = {
  id: field(z.string().min(1), 'String', 'Whose'),
  size: field(z.int().min(0).nullable(), 'Nullable(UInt32)', 'A size'),
  parts: field(z.array(z.string()), 'Array(String)', 'A list'),
}
const about = { name: 'things', about: 'Nothing of the service', identity: ['id'], key: ['id'] } as const
const things = defineDataset({ ...about, fields, packed: true })
const single = defineDataset({ ...about, fields })
const thing = { id: 'a', size: 1, parts: ['x', 'y'] }
const others = [thing, { id: 'a', size: null, parts: [] }, { ...thing, id: 'ä "quoted"' }]

const record = (text: string, dataset = things) => eventsIn(dataset, text)
const only = (events: readonly (typeof thing | (typeof others)[number])[]) => {
  const values = packed(things, events)
  expect(values).toHaveLength(1)
  return values[0] as string
}

describe('a packed record', () => {
  it('returns its events in order, each with its place', () => {
    expect(record(only(others))).toEqual(others.map((event, nth) => ({ nth, event })))
  })

  it('is split into as many records as the log needs', () => {
    const wide = Array.from({ length: 30 }, (_, n) => ({ ...thing, size: n, parts: ['é'.repeat(50_000)] }))
    const values = packed(things, wide)
    for (const value of values) expect(Buffer.byteLength(value)).toBeLessThan(1_000_000)
    expect(values.flatMap(value => record(value)).map(({ event }) => event)).toEqual(wide)
    expect(packed(things, [])).toEqual([])
  })

  it('is refused event by event, with the event in the form of its schema', () => {
    const wrong = { ...thing, size: -1 }
    expect(record(only([thing, wrong, thing]))).toEqual([
      { nth: 0, event: thing },
      { nth: 1, reason: expect.stringMatching(/^size: /), text: JSON.stringify(wrong) },
      { nth: 2, event: thing },
    ])
  })

  it('of an older schema is read by the names of its columns; a newer column has its default', () => {
    const grown = defineDataset({
      ...about,
      fields: { kind: field(z.string().default('old'), 'String', 'A kind'), ...fields },
      packed: true,
    })
    expect(eventsIn(grown, only([thing]))).toEqual([{ nth: 0, event: { kind: 'old', ...thing } }])
    const short = { columns: ['id', 'size'], rows: [['a', 1]] }
    expect(record(JSON.stringify(short))).toEqual([
      { nth: 0, reason: expect.stringMatching(/^parts: /), text: '{"id":"a","size":1}' },
    ])
    const long = { columns: ['id', 'size', 'parts', 'more'], rows: [['a', 1, [], 2]] }
    expect(record(JSON.stringify(long))).toMatchObject([{ event: { id: 'a' }, newer: ['more'] }])
  })

  it('may also be one event, as it was written before events were packed', () => {
    const text = JSON.stringify(thing)
    expect(record(text)).toEqual([{ event: thing }])
    expect(record(text, single)).toEqual([{ event: thing }])
    expect(record(only([thing]), single)).toMatchObject([{ reason: expect.stringContaining('parts') }])
  })

  it.each([
    '{"columns":["id"],"rows":',
    '{"columns":["id"],"rows":[1]}',
    '{"columns":1,"rows":[]}',
    'null',
    '[]',
  ])('is refused completely if it is not one: %s', text => {
    expect(record(text)).toEqual([{ reason: expect.any(String), text }])
  })

  it('cannot be in a compacted topic, which keeps one record of a key', () => {
    expect(() => defineDataset({ ...about, fields, packed: true, keep: 'newest' })).toThrow('not packed')
  })
})
