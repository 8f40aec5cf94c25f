import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineDataset, field } from '../../../schemas/dataset/dataset.ts'
import { checkEvent } from '../../../schemas/dataset/event-check.ts'
import { secFacts } from '../../../schemas/sec-facts.ts'

const things = defineDataset({
  name: 'things',
  about: 'Nothing of the service',
  fields: {
    name: field(z.string().min(1), 'String', 'A name'),
    size: field(z.int().min(0).nullable(), 'Nullable(UInt32)', 'A size'),
    parts: field(z.array(z.string()).default([]), 'Array(String)', 'A list'),
  },
  key: ['name'],
  identity: ['name'],
})
const fact = {
  cik: 1,
  taxonomy: 'us-gaap',
  concept: 'Assets',
  unit: 'USD',
  period_start: null,
  period_end: '2025-12-31',
  days: 0,
  value: '1.50',
  accession: '0000000001-26-000001',
  form: '10-K',
  filed: '2026-02-20',
  fy: 2025,
  fp: 'FY',
  frame: null,
}

describe('the quick check of an event', () => {
  it.each<[string, unknown]>([
    ['a good one', fact],
    ['one field wrong', { ...fact, accession: 'none' }],
    ['a number for a text', { ...fact, value: 1.5 }],
    ['a text for a number', { ...fact, cik: '1' }],
    ['null where none may be', { ...fact, filed: null }],
    ['a field too few', { ...fact, frame: undefined }],
    ['a field too many', { ...fact, extra: 1 }],
    ['another field in place of one', { ...fact, frame: undefined, extra: null }],
    ['a list', [fact]],
    ['nothing', null],
  ])('says what the whole one says, the first time and again: %s', (_what, event) => {
    const whole = secFacts.event.safeParse(event)
    for (const quick of [
      checkEvent(secFacts, fact),
      checkEvent(secFacts, event),
      checkEvent(secFacts, event),
    ].slice(1)) {
      expect(quick.success).toBe(whole.success)
      expect(quick.data).toEqual(whole.data)
      expect(quick.error?.issues).toEqual(whole.error?.issues)
    }
  })

  it('recognises a repeated list, but neither another list nor its text', () => {
    for (const parts of [['a'], [], ['a', 'b']])
      for (const _time of [1, 2])
        expect(checkEvent(things, { name: 'a', size: 1, parts })).toMatchObject({ data: { parts } })
    for (const parts of [['a', 1], '["a"]', [['a']], { 0: 'a' }])
      expect(checkEvent(things, { name: 'a', size: 1, parts }).success).toBe(false)
  })

  it('leaves a missing field to the full check', () => {
    expect(checkEvent(things, { name: 'a', size: null })).toMatchObject({
      success: true,
      data: { name: 'a', size: null, parts: [] },
    })
    expect(checkEvent(things, { name: 'a', size: 1, parts: [1] })).toMatchObject({ success: false })
  })

  it('works with more values than it remembers', () => {
    for (let size = 0; size < 5000; size++)
      expect(checkEvent(secFacts, { ...fact, value: String(size) }).success).toBe(true)
    expect(checkEvent(secFacts, { ...fact, value: 'x' }).success).toBe(false)
  })
})
