import { expect, it } from 'vitest'
import { z } from 'zod'
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
