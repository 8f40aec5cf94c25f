/** Finds every series that a PromQL query selects, and every label in it. */
import { parser } from '@prometheus-io/lezer-promql'

export interface Asked {
  selectors: { metric: string; text: string; labels: string[] }[]
  /** Labels of by, on, ignoring and the like. */
  grouping: string[]
}

export function readQuery(query: string): Asked {
  const asked: Asked = { selectors: [], grouping: [] }
  const text = (at: { from: number; to: number }) => query.slice(at.from, at.to)
  parser.parse(query).iterate({
    enter: node => {
      if (node.type.isError)
        throw new Error(`not PromQL at ${node.from}: ${query.slice(node.from)} (of ${query})`)
      if (node.name === 'VectorSelector') {
        const metric = node.node.getChild('Identifier')
        if (!metric) throw new Error(`a selector without a name: ${text(node)}`)
        const labels: string[] = []
        node.node
          .getChild('LabelMatchers')
          ?.cursor()
          .iterate(inner => {
            if (inner.name === 'LabelName') labels.push(text(inner))
          })
        asked.selectors.push({ metric: text(metric), text: text(node), labels })
      }
      if (node.name === 'GroupingLabels')
        for (const label of node.node.getChildren('LabelName')) asked.grouping.push(text(label))
    },
  })
  return asked
}
