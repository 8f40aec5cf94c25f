/** Drawings: what they show, and that nothing of a stranger breaks them. */
import { type Handler, Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import type { Drawing } from '../../../../services/offer/drawing.ts'
import { origins } from '../../../../services/origins/index.ts'
import { drawingsOf, drawn } from '../../../../services/query/face/drawn.ts'
import { labelsOf, outlined, ticksOf } from '../../../../services/query/face/scale.ts'

const marks = [
  { at: '2026-01-01', value: 2, more: ['<i>'] },
  { at: '2026-01-02', value: -1 },
  { at: '2026-01-05', value: 3, isOther: true },
]
const shown = { title: 'A & b', when: 'day', what: 'rate', unit: 'USD', more: ['why'], marks }

describe('marks', () => {
  it('are a line with its words, and a table that holds the numbers', () => {
    const line = drawn({ ...shown, kind: 'line' })
    expect(line).toContain(
      '<title>A &amp; b</title><desc>From 2 USD at 2026-01-01 to 3 USD at 2026-01-05; lowest -1 USD, highest 3 USD.</desc>',
    )
    expect(line.match(/<circle/g)).toHaveLength(3)
    for (const cell of ['>2026-01-02</span></th>', '>-1</td>', '&lt;i&gt;</span></td>', 'rate, USD'])
      expect(line).toContain(cell)
  })

  it('stand at their times: three days are three times as wide as one', () => {
    const xs = [...drawn({ ...shown, kind: 'line' }).matchAll(/cx="([\d.]+)"/g)].map(([, x]) => Number(x))
    const [a = 0, b = 0, c = 0] = xs
    expect((c - b) / (b - a)).toBeCloseTo(3, 1)
  })

  it('are bars, of which what is lost lies below zero', () => {
    const bars = drawn({ ...shown, kind: 'bars' })
    expect(bars.match(/class="bar"/g)).toHaveLength(1)
    expect(bars.match(/class="bar other"/g)).toHaveLength(1)
    expect(bars.match(/class="gap"/g)).toHaveLength(1)
  })

  it('are ranked, the largest first, and say how many are left out', () => {
    const many = Array.from({ length: 14 }, (_, i) => ({ at: `n${i}`, value: i }))
    const ranked = drawn({ ...shown, kind: 'ranked', marks: many })
    expect(ranked.indexOf('>n13<')).toBeLessThan(ranked.indexOf('>n12<'))
    expect(ranked).toContain('The 12 largest are drawn.')
  })

  /** Days, of which one is far from all others. */
  const withSpike = (days: number, spike: number, value: number) =>
    Array.from({ length: days }, (_, i) => ({
      at: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
      value: i === spike ? value : 1 + (i % 3),
    }))

  it('are bars with the extremes, wherever they stand, and say how many are drawn', () => {
    for (const spike of [1, 39, 62, 118]) {
      const bars = drawn({ ...shown, kind: 'bars', marks: withSpike(120, spike, -9_000_000) })
      expect(bars.match(/class="bar"/g)).toHaveLength(39)
      expect(bars.match(/class="gap"/g)).toHaveLength(1)
      expect(bars).toContain(': -9,000,000</title>')
      expect(bars).toContain('>-9,000,000</td>')
      expect(bars).toContain('40 of 120 are drawn')
      expect(bars).toContain('60 of 120 in the table.')
    }
    expect(drawn({ ...shown, kind: 'bars' })).not.toContain('are drawn')
  })

  it('are a line with the extremes, wherever they stand, and say how many are drawn', () => {
    for (const spike of [1, 1501, 2998]) {
      const line = drawn({ ...shown, kind: 'line', marks: withSpike(3000, spike, 1000) })
      const heights = [...(/class="line" d="([^"]+)"/.exec(line)?.[1] ?? '').matchAll(/ ([\d.]+)/g)]
      expect(Math.min(...heights.map(([, y]) => Number(y)))).toBe(14)
      expect(line).toContain('>1,000</td>')
      expect(line).toContain('240 of 3,000 are drawn')
    }
  })

  it('say how many have no number that can be drawn', () => {
    const ranked = drawn({ ...shown, kind: 'ranked', marks: [...marks, { at: 'x', value: Number.NaN }] })
    expect(ranked).toContain('1 without a number that can be drawn.')
    // However long the note is.
    const noted = { ...shown, kind: 'ranked', note: 'n'.repeat(5000) } as const
    expect(drawn({ ...noted, marks: [...marks, { at: 'x', value: Number.NaN }] })).toContain('1 without a')
  })

  it('are no line where there is one alone', () => {
    expect(drawn({ ...shown, kind: 'line', marks: marks.slice(0, 1) })).toBe('')
  })
})

it('some of many keep their order, their ends and their extremes, and are never more than asked for', () => {
  for (const [size, most] of [
    [41, 40],
    [120, 40],
    [61, 60],
    [10_000, 240],
  ] as const) {
    const all = Array.from({ length: size }, (_, i) => (i * 7919) % 997)
    const some = outlined([...all.entries()], most, ([, value]) => value)
    expect(some.length).toBeLessThanOrEqual(most)
    expect(some.length).toBeGreaterThan(most * 0.9)
    expect([some[0]?.[0], some.at(-1)?.[0]]).toEqual([0, size - 1])
    expect(some.map(([i]) => i)).toEqual(some.map(([i]) => i).toSorted((a, b) => a - b))
    const values = some.map(([, value]) => value)
    expect([Math.min(...values), Math.max(...values)]).toEqual([Math.min(...all), Math.max(...all)])
  }
})

it('spans and steps say how many are drawn, and how many stand in the table', () => {
  const many = Array.from({ length: 120 }, (_, i) => i)
  const [from, to] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z']
  const spans = (of: readonly number[]) =>
    drawn({
      kind: 'spans',
      title: 'x',
      who: 'a',
      what: 'b',
      spans: of.map(i => ({ name: `${i}`, from, to, words: '' })),
    })
  expect(spans(many)).toContain('The first 12 of 120 are drawn. 60 of 120 in the table.')
  expect(spans(many.slice(0, 12))).not.toMatch(/are drawn|in the table/)
  const steps = (of: readonly number[]) =>
    drawn({ kind: 'steps', title: 'x', steps: of.map(i => ({ name: `${i}`, value: 'v' })) })
  expect(steps(many)).toContain('The first 70 of 120 are drawn. 60 of 120 in the table.')
  expect(steps(many.slice(0, 60))).not.toMatch(/are drawn|in the table/)
})

it('a curve keeps its extremes, in its table too, and says how many points are drawn', () => {
  const peak = { x: 777, y: 50 }
  const points = Array.from({ length: 1000 }, (_, x) => (x === peak.x ? peak : { x, y: 1 }))
  const known = Array.from({ length: 33 }, (_, x) => ({ name: `n${x}`, x, y: 1 }))
  const curve = { kind: 'curve', title: 'x', across: 'a', what: 'b', curve: points, known } as const
  const html = drawn(curve)
  expect(html).toContain('240 of 1,000 are drawn')
  expect(html).toContain('32 of 33 are drawn')
  expect(html).toContain('>777</td>')
  expect(html.match(/class="dot"/g)).toHaveLength(32)
  const lasting = drawn({ ...curve, curve: points.slice(0, 240), known: [] })
  expect(lasting).not.toContain('are drawn')
})

it('variants by price say how many are not among them, and why', () => {
  const priced = (name: string, price: unknown, priceCurrency: string) => ({
    name,
    offers: { price, priceCurrency },
  })
  const hasVariant = [
    priced('a', 12.5, 'USD'),
    priced('b', '13', 'USD'),
    priced('c', '1,299.00', 'USD'),
    priced('d', 11, 'EUR'),
    priced('e', 10, 'EUR'),
  ]
  const draw = origins.find(({ drawings }) => drawings?.of.extractProduct)?.drawings?.of.extractProduct
  const html = drawingsOf({ name: 'Rope', hasVariant }, draw)
  expect(html.match(/class="bar"/g)).toHaveLength(2)
  expect(html).toContain('2 not priced in USD, and not drawn. 1 without a number that can be drawn.')
  expect(drawingsOf({ name: 'Rope', hasVariant: hasVariant.slice(0, 2) }, draw)).not.toContain('not drawn')
})

it('a scale has few round numbers around its values, and no two alike labels', () => {
  expect(ticksOf(159.6, 159.85)).toEqual([159.6, 159.7, 159.8, 159.9])
  expect(ticksOf(0, 416)).toEqual([0, 200, 400, 600])
  expect(labelsOf([0, 2e11])).toEqual(['0', '200B'])
  for (const [low, high] of [
    [5, 5],
    [0, 0],
    [1e15, 1e15 + 1],
    [-1e29, 1e29],
    [1e-12, 2e-12],
  ] as const) {
    const ticks = ticksOf(low, high)
    expect(ticks.length).toBeGreaterThan(1)
    expect(ticks.length).toBeLessThanOrEqual(12)
    expect(new Set(labelsOf(ticks)).size).toBe(ticks.length)
  }
})

/** Those that close themselves. */
const closed = ['img', 'path', 'rect', 'circle']

/** What a browser finds in it: every tag closed, and nothing that runs or loads. */
function judged(html: string): void {
  const open: string[] = []
  const faults: string[] = []
  const parts: Partial<Handler> = {
    onopentag(name, attributes) {
      open.push(name)
      if (['script', 'iframe', 'style', 'object', 'foreignobject', 'image', 'a'].includes(name))
        faults.push(name)
      for (const [attribute, value] of Object.entries(attributes)) {
        if (/^on|style|href/.test(attribute)) faults.push(attribute)
        if (
          /NaN|Infinity|undefined|e[+-]\d/.test(
            ['aria-label', 'data-title', 'alt'].includes(attribute) ? '' : value,
          )
        )
          faults.push(value)
        if (attribute === 'src' && !/^data:image\/(jpeg|png|webp);base64,[A-Za-z0-9+/=]+$/.test(value))
          faults.push(value)
      }
    },
    onclosetag(name, isImplied) {
      if (open.pop() !== name || (isImplied && !closed.includes(name))) faults.push(`/${name}`)
    },
  }
  new Parser(parts, { recognizeSelfClosing: true }).end(html)
  expect(faults).toEqual([])
  expect(open).toEqual([])
  expect(html).not.toMatch(/undefined|\[object/)
  expect(html.length).toBeLessThan(200_000)
}

const evil: readonly unknown[] = [
  `"><script>alert(1)</script>`,
  `</svg></title><img src=x onerror=alert(1)>`,
  `' onload='x`,
  '\u202e\u0000\ud800%told%$&',
  'x'.repeat(5000),
  'Infinity',
  '1e400',
  '',
  'NaN',
  null,
  undefined,
  true,
  [],
  {},
  [[{}]],
  { toString: null },
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_VALUE,
  -0,
  5e-324,
  '2026-02-31',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00.000Z',
  '0001-01-01',
]

/** The same answer with each of its values changed, in turn, and all at once. */
function spoiled(value: unknown, evilAt: (place: number) => unknown, counted = { place: 0 }): unknown {
  if (Array.isArray(value)) return value.map(each => spoiled(each, evilAt, counted))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, spoiled(each, evilAt, counted)]),
    )
  const other = evilAt(counted.place++)
  return other === 'keep' ? value : other
}
/** Its lists with thousands of rows. */
const grown = (value: unknown, rows: number): unknown =>
  Array.isArray(value)
    ? Array.from({ length: value.length ? rows : 0 }, (_, i) => value[i % value.length])
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, grown(each, rows)]))
      : value

const drawing = origins.flatMap(({ drawings, operations, free }) =>
  Object.entries(drawings?.of ?? {}).map(([id, draw]) => {
    const endpoint = [...operations, ...free].find(each => each.id === id)
    return { id, draw, response: endpoint?.example.response as object | undefined }
  }),
)

it('names operations that exist', () => {
  expect(drawing.filter(({ response }) => response === undefined).map(({ id }) => id)).toEqual([])
  expect(drawing.length).toBeGreaterThan(12)
})

it.each(drawing)('$id: its example is drawn', ({ draw, response }) => {
  const html = drawingsOf(response, draw)
  expect(html).toContain('<figure class="drawn">')
  judged(html)
})

it.each(drawing)('$id: nothing that is in an answer breaks its drawing', ({ draw, response }) => {
  for (let first = 0; first < evil.length; first++) {
    judged(
      drawingsOf(
        spoiled(response, () => evil[first]),
        draw,
      ),
    )
    // Some values stay as they are, so that a drawing comes far enough to be broken by the others.
    const mixed = (place: number) => (place % 3 ? evil[(place + first) % evil.length] : 'keep')
    if (first % 3 === 0) judged(drawingsOf(spoiled(response, mixed), draw))
  }
  for (const value of evil) judged(drawingsOf(value, draw))
  judged(drawingsOf({}, draw))
})

it.each(drawing)('$id: ten thousand rows are a drawing of bounded size', ({ draw, response }) => {
  judged(drawingsOf(grown(response, 10_000), draw))
})

it('the words beside a drawing have numbers as people write them', () => {
  const { draw, response } = drawing.find(({ id }) => id === 'chainPortfolio') as (typeof drawing)[0]
  expect(drawingsOf({ ...response, total_usd: 30000050 }, draw)).toContain('30,000,050 USD in all')
})

it('draws of other answers what goes over time, in its order, and nothing else', () => {
  const rates = (...rows: object[]) => drawingsOf({ rates: rows }, undefined)
  expect(rates({ date: '2026-02-02', rate: 3 }, { date: '2026-02-01', rate: 2 })).toContain(
    'From 2 at 2026-02-01 to 3 at 2026-02-02',
  )
  expect(rates({ name: 'a', rate: 1 }, { name: 'b', rate: 2 })).toBe('')
  expect(rates({ date: '2026-02-02', rate: null }, { date: '2026-02-01', rate: 2 })).toBe('')
  for (const value of evil) judged(rates({ date: value, rate: 1 }, { date: value, rate: 2 }))
})

it('shows a picture that is one, and of anything else its frame', () => {
  const shot = { kind: 'picture', title: 'A page', type: 'image/png', width: 10, height: 20 } as const
  expect(drawn({ ...shot, base64: 'A'.repeat(400) })).toContain('src="data:image/png;base64,AAAA')
  for (const other of [
    { ...shot, base64: `${'A'.repeat(400)}" onerror="x` },
    { ...shot, base64: 'A'.repeat(400), type: 'image/svg+xml' },
  ] satisfies Drawing[]) {
    expect(drawn(other)).not.toContain('<img')
    judged(drawn(other))
  }
})

it('draws a span where both ends are known, and leaves out what ends before it begins', () => {
  const spans = [
    { name: 'a', from: '2026-11-20T06:00Z', to: '2026-11-20T14:30Z', words: 'wind' },
    { name: 'b', from: '2026-11-20T06:00Z', to: '2026-11-19T14:30Z', words: 'wind' },
    { name: 'c', from: '2026-11-20T06:00Z', to: '3:00 pm EDT', words: 'wind' },
  ]
  const html = drawn({ kind: 'spans', title: 'x', who: 'who', what: 'why', spans })
  expect(html.match(/class="span/g)).toHaveLength(1)
  expect(html).toContain('>2026-11-20 14:30</td>')
})
