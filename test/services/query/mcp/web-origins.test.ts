/** Which web pages may ask. */
import { expect, it } from 'vitest'
import { mayAsk } from '../../../../services/query/mcp/web-origins.ts'

const world = new Set(['farebox.example', 'mcp.farebox.example'])
const machine = new Set(['127.0.0.1'])

it.each<[string | undefined, string, ReadonlySet<string>, boolean]>([
  [undefined, 'farebox.example', world, true],
  ['https://agents.example', 'farebox.example', world, true],
  ['https://mcp.farebox.example', 'mcp.farebox.example', world, true],
  ['null', 'farebox.example', world, true],
  // The page has led its own name to our address.
  ['http://rebound.example', 'rebound.example', world, false],
  ['http://rebound.example:8402', 'REBOUND.example:8402', world, false],
  ['https://agents.example/path', 'farebox.example', world, false],
  ['agents.example', 'farebox.example', world, false],
  ['', 'farebox.example', world, false],
  // A service on this machine is for pages of this machine.
  ['http://127.0.0.1:8402', '127.0.0.1:8402', machine, true],
  ['http://localhost:5173', '127.0.0.1:8402', machine, true],
  ['http://[::1]:5173', '127.0.0.1:8402', machine, true],
  ['https://agents.example', '127.0.0.1:8402', machine, false],
  ['http://rebound.example:8402', 'rebound.example:8402', machine, false],
  ['http://127.0.0.1.agents.example', '127.0.0.1:8402', machine, false],
  ['null', '127.0.0.1:8402', machine, false],
])('%s at %s', (origin, host, own, may) => {
  expect(mayAsk({ origin, host, own })).toBe(may)
})
