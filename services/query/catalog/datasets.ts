/** The datasets as tables for analysts, derived from their declarations. */
import type { Dataset, View } from '../../../schemas/dataset/dataset.ts'

export const datasetsTables = (datasets: readonly Dataset[]): string =>
  datasets
    .filter(dataset => dataset.audience === 'analysts')
    .map(dataset =>
      [
        `### ${dataset.name}`,
        '',
        `${dataset.about}. One row per ${dataset.identity.map(column => `\`${column}\``).join(', ')}.`,
        '',
        '| column | type | what |',
        '|---|---|---|',
        ...Object.entries(dataset.fields).map(
          ([name, { column, about }]) => `| \`${name}\` | \`${column.replaceAll('|', '\\|')}\` | ${about} |`,
        ),
        ...dataset.views.flatMap(viewOf),
      ].join('\n'),
    )
    .join('\n\n')

/** Columns that a view shares with the table are described with the table. */
function viewOf({ name, about, columns, ordered }: View): string[] {
  const own = Object.entries(columns)
  return [
    '',
    `View \`${name}\`: ${about}.${ordered ? ` It is read from the table \`${ordered.table}\`, whose rows are ordered by ${ordered.by.map(column => `\`${column}\``).join(', ')}.` : ''}`,
    ...(own.length ? ['', `| column of \`${name}\` | what |`, '|---|---|'] : []),
    ...own.map(([column, what]) => `| \`${column}\` | ${what} |`),
  ]
}
