/** Free calls over MCP: who used one today, and who got it back because the call failed. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { IsoDate } from './values/values.ts'

const fields = {
  day: field(IsoDate, 'Date', 'The UTC day'),
  caller: field(
    z.string().min(1),
    'String',
    'A hash of the caller’s address, keyed with the secret of the day',
  ),
  call: field(z.string().min(1), 'String', 'This call and no other'),
  what: field(
    z.enum(['secret', 'take', 'give back']),
    'String',
    'secret: proposes the secret of the day, and the first one stands; take: wants a free call; give back: the call failed',
  ),
  secret: field(
    z.string().nullable(),
    'Nullable(String)',
    'With `secret`: random, and gone with the day’s records',
  ),
}

export type McpTrial = RowOf<typeof fields>

export const mcpTrials = defineDataset({
  name: 'mcp_trials',
  about: 'Free calls over MCP; after two days nobody can tell whose they were',
  fields,
  key: ['day', 'caller'],
  identity: ['call', 'what'],
  audience: 'log',
  keep: { ms: 48 * 60 * 60_000 },
})
