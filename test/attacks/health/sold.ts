/** What a file sells beside the built-in operations: an API, a view and a module, each of which gives as much as it may. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The answers of the API, by the name that the question has. */
export type SoldAnswers = Readonly<Record<string, Buffer>>

/** Printed, busy, or all that an answer holds. The processes of a module are its own, and the lines and the answers come here. */
const mod = `export default {
  async answer({ way }) {
    if (way === 'prints') for (let i = 0; i < 1e6; i++) console.log('a line of the module', i)
    if (way === 'is busy') for (;;);
    return 'x'.repeat(4e6)
  },
}
`

/** Resolves with what SELL names. */
export function writeSold(folder: string, port: number): string {
  const file = join(folder, 'sold.yaml')
  const api = `http://127.0.0.1:${port}/sold`
  writeFileSync(join(folder, 'sold.ts'), mod)
  writeFileSync(
    file,
    `origin: sold
title: What a file sells
operations:
  /sold/json:
    title: JSON of an API
    price: 0.001
    question: { name: { type: string, pattern: '^[a-z-]{1,40}$' }, nth: { type: integer } }
    from: { http: '${api}/{name}', query: { nth: '{nth}' }, headers: { x-key: '\${SOLD_KEY}' }, within: 20s, most: 4MB }
    batch: 20
    example: { question: { name: json, nth: 1 } }
  /sold/bytes:
    title: Bytes of an API
    price: 0.001
    question: { name: { type: string, pattern: '^[a-z-]{1,40}$' }, nth: { type: integer } }
    from: { http: '${api}/{name}', query: { nth: '{nth}' }, headers: { x-key: '\${SOLD_KEY}' }, within: 20s, most: 2MB, gives: bytes }
    example: { question: { name: json, nth: 1 } }
  /sold/texts:
    title: A list of texts
    price: 0.001
    question: { texts: { type: array, items: { type: string, pattern: '^[a-z0-9]{1,80}( [a-z0-9]{1,80})?$' } }, nth: { type: integer } }
    from: { http: '${api}/json', body: { texts: '{texts}', nth: '{nth}' } }
    example: { question: { texts: [a], nth: 1 } }
  /sold/rows:
    title: Rows of the store
    price: 0.001
    question: { nth: { type: integer } }
    from: { view: "select {nth:Int64} as nth, repeat('x', 180) as text, number as n from (select arrayJoin(range(9000)) as number)", within: 20s }
    example: { question: { nth: 1 } }
  /sold/module:
    title: A module
    price: 0.001
    question: { way: { type: string, enum: [prints, is busy, answers much] }, nth: { type: integer } }
    from: { module: ./sold.ts, within: 3s, most: 4MB, memory: 256MB }
    example: { question: { way: prints, nth: 1 } }
`,
  )
  return file
}
