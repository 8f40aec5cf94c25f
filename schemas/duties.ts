/** Which process holds which duty: each process reports its duties again and again. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'

const fields = {
  by: field(z.string().min(1), 'String', 'The run of a process that says so'),
  beat: field(z.int().min(0), 'UInt64', 'How often this run has said so before'),
  held: field(
    z.array(z.string()),
    'Array(String)',
    'The duties that it holds, or takes because nobody holds them. What it no longer names is free',
  ),
}

export type DutyBeat = RowOf<typeof fields>

export const duties = defineDataset({
  name: 'duties',
  about: 'Which process polls which source: the first that asks holds a duty until it leaves or is silent',
  fields,
  key: ['by'],
  identity: ['by', 'beat'],
  audience: 'log',
  keep: { ms: 60 * 60_000 },
  inOneOrder: true,
})
