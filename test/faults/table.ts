/** Prints a table of the faults and the end of each purchase. */
import { type Outcome, outcomes, type Row } from './audit.ts'
import { kinds } from './plan.ts'

const columns = ['runs', ...outcomes, 'killed', 'doubles', 'lost', 'false'] as const

export function table(rows: readonly Row[]): string {
  const byKind = Map.groupBy(rows, row => row.customer.plan.kind)
  const met = kinds.flatMap(({ kind }) => [[kind, byKind.get(kind) ?? []] as const])
  const lines = [...met, ['all', rows] as const].map(([kind, of]) => {
    const ended = (outcome: Outcome) => of.filter(row => row.outcome === outcome).length
    const wrong = (what: RegExp) => of.filter(row => row.wrong.some(text => what.test(text))).length
    return [
      kind,
      of.length,
      ...outcomes.map(ended),
      of.filter(row => row.killed).length,
      wrong(/times$|two different|nobody asked/),
      wrong(/no answer|no end|without an end/),
      wrong(/^\d{3} |^told/),
    ]
  })
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    line(['what goes wrong', ...columns]),
    line(['---', ...columns.map(() => '---:')]),
    ...lines.map(line),
  ].join('\n')
}

export const kills = (rows: readonly Row[]): string =>
  [...Map.groupBy(rows, ({ killed }) => killed)]
    .flatMap(([step, of]) => (step ? [`${step} ${of.length}`] : []))
    .join(', ')
