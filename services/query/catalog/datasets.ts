/** The datasets as tables for analysts, derived from their declarations. */
import type { Dataset } from '../../../schemas/dataset.ts'

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
        ...dataset.views.flatMap(view => ['', `View \`${view.name}\`: ${view.about}.`]),
      ].join('\n'),
    )
    .join('\n\n')
