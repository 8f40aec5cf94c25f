/** The parts that pages are made of. */
import { expect, it } from 'vitest'
import { fieldTree } from '../../../../services/query/face/field-tree.ts'
import { readable } from '../../../../services/query/face/readable.ts'
import { table } from '../../../../services/query/face/table.ts'

it('a table names each column in each row, for screens where it becomes a list', () => {
  const shown = table({
    columns: ['who', { title: 'how <much>', isNumber: true }],
    rows: [['a', '1']],
    caption: 'A "table"',
  })
  expect(shown).toContain('aria-label="A &quot;table&quot;"')
  expect(shown).toContain('<th role="rowheader" scope="row">a</th>')
  expect(shown).toContain('<td role="cell" class="number" data-title="how &lt;much&gt;">1</td>')
  expect(shown).toContain('class="folds"')
  expect(table({ columns: ['a'], rows: [], caption: 'b', scrolls: true })).not.toContain('folds')
})

it('a tree opens what lies inside a field, with its bounds, and tells each form', () => {
  const inner = {
    type: 'object',
    properties: { deep: { type: 'number', minimum: 1, description: 'a `b` <c>' } },
  }
  const shown = fieldTree({
    type: 'object',
    required: ['list'],
    properties: {
      list: { type: 'array', items: inner, maxItems: 3, description: 'all' },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'one' },
    },
  })
  expect(shown).toContain('<code>list</code> <small>list, at most 3</small>')
  expect(shown).toContain('<summary>1 field inside</summary>')
  expect(shown).toContain('<small>number, optional, at least 1</small></dt><dd>a <code>b</code> &lt;c&gt;')
  expect(shown).toContain('<code>either</code> <small>text or null, optional</small>')
  expect(fieldTree({ type: 'object' })).toBe('<p>Nothing.</p>')
})

it('an answer is read as names and values, and lists of alike things as tables', () => {
  const shown = readable({
    rate_date: '<b>',
    flag: true,
    gone: null,
    tags: ['a', 'b'],
    rows: [{ x: 1 }, { y: 2 }],
    no: [],
  })
  expect(shown).toContain('<dt>rate date</dt><dd>&lt;b&gt;</dd>')
  expect(shown).toContain(
    '<dt>flag</dt><dd>yes</dd><dt>gone</dt><dd><span class="quiet">not known</span></dd>',
  )
  expect(shown).toContain('<dt>tags</dt><dd>a, b</dd>')
  expect(shown).toContain('<td role="cell" data-title="y">2</td>')
  expect(shown).toContain('<dt>no</dt><dd><span class="quiet">none</span></dd>')
  expect(readable(Array.from({ length: 15 }, () => ({ a: { b: 1 } })))).toContain('and 3 more')
})
