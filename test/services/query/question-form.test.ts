import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { airportAsked } from '../../../schemas/tables/airports.ts'
import { placeField } from '../../../services/offer/place.ts'
import { placesPage } from '../../../services/query/catalog/places-page.ts'
import { questionForm } from '../../../services/query/catalog/question-form.ts'

const form = (request: z.ZodType, example: object) =>
  questionForm({ path: '/x', request, example: { request: example, response: {} }, origin: {} } as never)

it('has a control of the right kind for each field, filled with the example', () => {
  const shown = form(
    z.strictObject({
      day: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/)
        .describe('A `day`'),
      from: z
        .string()
        .regex(/^[A-Za-z]{3}$/)
        .optional(),
      amount: z.number().min(0).max(9).default(1),
      kind: z.enum(['a', 'b']).nullable(),
      loud: z.boolean().optional(),
      url: z.string(),
      many: z.array(z.string()),
      deep: z.strictObject({ a: z.string() }).optional(),
    }),
    { day: '2026-01-02', amount: 3, kind: 'b', url: '"', many: ['x', 'y'] },
  )
  for (const control of [
    '<input type="date" id="ask-day" data-field="day" data-kind="text" value="2026-01-02">',
    'list="currencies"',
    '<input type="number" step="any" min="0" max="9" id="ask-amount" data-field="amount" data-kind="number" value="3">',
    '<option selected>b</option>',
    'data-kind="boolean"',
    '<input type="url" autocomplete="off" spellcheck="false" id="ask-url" data-field="url" data-kind="text" value="&quot;">',
    'data-kind="list">x\ny</textarea>',
    '<small>A <code>day</code></small>',
  ])
    expect(shown).toContain(control)
  expect(shown).not.toContain('ask-deep')
  expect(shown.match(/<small>optional/g)).toHaveLength(3)
})

it('is no form where nothing has a control', () => {
  expect(form(z.strictObject({ deep: z.strictObject({ a: z.string() }) }), {})).toBe('')
})

describe('a place', () => {
  const [lat, lon] = [z.number().min(-90).max(90), z.number().min(-180).max(180).optional()]
  const placed = placeField('address', z.string().optional())

  it('is a plain field that its declaration calls a place, whatever its name is', () => {
    const shown = form(z.strictObject({ whither: placed, address: z.string() }), { whither: '"' })
    expect(shown).toContain('data-field="whither" data-kind="text" data-place="address" value="&quot;">')
    expect(shown.match(/data-place/g)).toHaveLength(1)
    expect(shown).not.toMatch(/role=|disabled/)
  })

  it('fills in coordinates, which are told by their bounds', () => {
    const both = form(z.strictObject({ north: lat, east: lon, at: placed }), {})
    expect(both).toContain('data-place="address" data-fills="north east"')
    expect(both).not.toContain('coordinates')
    const alone = form(z.strictObject({ north: lat, east: lon }), {})
    expect(alone).toContain('data-place="coordinates" data-fills="north east" disabled>')
    expect(form(z.strictObject({ north: lat, share: z.number().min(0).max(180) }), {})).not.toContain(
      'data-place',
    )
  })

  const like = async (of: string, q: string) => {
    const { body } = await placesPage.answer({
      accept: '',
      path: '/places.json',
      query: { of, q },
      origins: [],
    })
    return (JSON.parse(String(body)) as { places: { text: string; beside: string; lat: number }[] }).places
  }

  it('is suggested from what the house knows: cities, ZIPs, airports, and the city of a street', async () => {
    expect((await like('address', 'Seatt'))[0]?.text).toBe('Seattle, WA')
    expect((await like('address', '1600 Pennsylvania Ave NW, Washingt'))[0]?.text).toBe(
      '1600 Pennsylvania Ave NW, Washington, DC',
    )
    expect((await like('airport', 'kbos'))[0]).toMatchObject({ text: 'BOS', lat: expect.closeTo(42.36, 1) })
    expect((await like('airport', 'chicago')).map(({ text }) => text)).toEqual(
      expect.arrayContaining(['ORD', 'MDW']),
    )
    for (const begun of ['chi', 'san', 'anch', 'B'.repeat(2), 'ho'])
      for (const { text } of await like('airport', begun))
        expect([text, airportAsked(text, Date.now()) !== undefined]).toEqual([text, true])
    expect((await like('coordinates', '98101'))[0]?.text).toBe('Seattle, WA 98101')
    expect((await like('coordinates', 'BOS'))[0]?.text).toBe('BOS')
  })

  it.each(['', '<img src=x>', '\u0000', 'a'.repeat(5000), '__proto__'])('is none for %j', async q => {
    for (const kind of ['address', 'airport', 'coordinates', 'constructor', ''])
      expect(await like(kind, q)).toEqual([])
  })
})
