/** Compares the ten metrics of every recorded company with the numbers in its annual report. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { financialsOf } from '../../../../pipelines/domains/company/financials.ts'
import { metricNames } from '../../../../schemas/sec-financials.ts'
import { testRecorded } from '../../../samples.ts'
import { factsIn } from './companyfacts.ts'

const table = readFileSync(new URL('../../../recorded/sec-answers/printed.txt', import.meta.url), 'utf8')
const rows = table
  .split('\n')
  .filter(line => line && !line.startsWith('#'))
  .map(line => line.split(' '))
  .map(([body = '', accession = '', end = '', ...printed]) => ({ body, accession, end, printed }))

describe('as printed', () => {
  testRecorded.for(rows)(
    '$body, fiscal year ended $end',
    ({ body, accession, end, printed }, { samples }) => {
      const facts = factsIn(join(samples, 'c-sec', body))
      const { points } = financialsOf(facts[0]?.cik ?? 0, facts, '2026-11-21')
      const told = metricNames.map(metric =>
        points.find(point => point.metric === metric && point.fiscal_year_end === end),
      )
      expect(told.map(point => point?.value ?? '-')).toEqual(printed)
      // No newer filing covers that year, so the report itself wins.
      expect([...new Set(told.flatMap(point => point?.accession ?? []))]).toEqual([accession])
    },
  )
})
