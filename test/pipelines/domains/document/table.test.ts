import { describe, expect, it } from 'vitest'
import { mainOf } from '../../../../pipelines/domains/document/page/main.ts'

const filler = Array.from(
  { length: 5 },
  (_, n) =>
    `<p>The gauge of basin number ${n} was read each morning, and its figures were kept in a book.</p>`,
).join('')
const tableOf = (rows: string) => {
  const { text, markdown } = mainOf(
    `<title>T</title><body><main>${filler}<table>${rows}</table>${filler}</main>`,
  )
  return {
    text: text.split('\n').filter(line => line.includes('\t')),
    markdown: markdown.split('\n').filter(line => line.startsWith('|')),
  }
}

describe('a table', () => {
  it('keeps its columns if a cell is wide', () => {
    const { text, markdown } = tableOf(
      '<tr><th>Port</th><th colspan="2">2020</th><th>2021</th></tr><tr><td>North</td><td>1</td><td>2</td><td>3</td></tr>',
    )
    expect(text).toEqual(['Port\t2020\t\t2021', 'North\t1\t2\t3'])
    expect(markdown).toEqual([
      '| Port | 2020 |  | 2021 |',
      '| --- | --- | --- | --- |',
      '| North | 1 | 2 | 3 |',
    ])
  })

  it('keeps its columns if a cell is high', () => {
    const { text } = tableOf(
      `<tr><th>Year</th><th>Port</th><th>Ships</th></tr>
       <tr><td rowspan="3">2020</td><td>North</td><td>11</td></tr>
       <tr><td>South</td><td rowspan="2">22</td></tr>
       <tr><td>West</td></tr>
       <tr><td>2021</td><td>North</td><td>44</td></tr>`,
    )
    expect(text).toEqual(['Year\tPort\tShips', '2020\tNorth\t11', '\tSouth\t22', '\tWest', '2021\tNorth\t44'])
  })

  it('in a cell of another has its own columns', () => {
    const { text } = tableOf(
      `<tr><td rowspan="2">A</td><td><table><tr><td>1</td><td>2</td></tr></table></td></tr><tr><td>B</td><td>C</td></tr>`,
    )
    expect(text.at(-1)).toBe('\tB\tC')
  })

  it('with absurd spans stays within its bounds', () => {
    const row = '<tr><td>x</td></tr>'
    const { text } = mainOf(
      `<body><main>${filler}<table><tr><td colspan="1e9" rowspan="65534">a</td></tr>${row.repeat(3000)}</table></main>`,
    )
    expect(text.length).toBeLessThan(200_000)
  })
})
