/** The way of every fact as a picture: five columns from source to operation, and a line wherever one leads to another. */
import { escaped } from '../query/face/text.ts'
import type { Line } from './lineage-lines.ts'

const columns = ['from', 'topic', 'table', 'view', 'sold by'] as const
type Column = 0 | 1 | 2 | 3 | 4

const [wide, gap, high, step, top] = [172, 56, 20, 26, 40]
const mostLetters = 22

interface Node {
  id: number
  column: Column
  name: string
  /** Those that lead here, so that it can stand near them. */
  before: Node[]
  y: number
}

/** What has one name in a column is one node. */
class Flow {
  readonly nodes = new Map<string, Node>()
  readonly edges = new Map<string, readonly [Node, Node]>()

  node(column: Column, name: string): Node {
    const key = `${column} ${name}`
    const known = this.nodes.get(key) ?? { id: this.nodes.size, column, name, before: [], y: 0 }
    this.nodes.set(key, known)
    return known
  }

  join(from: Node, to: Node): void {
    const key = `${from.id} ${to.id}`
    if (this.edges.has(key)) return
    this.edges.set(key, [from, to])
    to.before.push(from)
  }
}

function flowOf(lines: readonly Line[]): Flow {
  const flow = new Flow()
  for (const { dataset, sources, lookups, rooms, views, operations } of lines) {
    const topic = flow.node(1, dataset.topic.name)
    for (const name of [...sources, ...lookups, ...rooms]) flow.join(flow.node(0, name), topic)
    const kept = dataset.audience === 'log' ? topic : flow.node(2, dataset.name)
    if (kept !== topic) flow.join(topic, kept)
    for (const { view, operations } of views) {
      const shown = flow.node(3, view.name)
      flow.join(kept, shown)
      for (const { path } of operations) flow.join(shown, flow.node(4, path))
    }
    for (const { path } of operations) flow.join(kept, flow.node(4, path))
  }
  return flow
}

/** Column by column: each node as near as it can to those that lead to it. Returns the height of all. */
function place(nodes: readonly Node[]): number {
  let lowest = 0
  for (const column of [1, 0, 2, 3, 4] as const) {
    const own = nodes.filter(node => node.column === column)
    const after = (node: Node) => nodes.filter(({ before }) => before.includes(node))
    const wanted = (node: Node) => {
      const beside = column === 0 ? after(node) : node.before
      return beside.length ? beside.reduce((sum, { y }) => sum + y, 0) / beside.length : 0
    }
    let next = top
    const sorted =
      column === 1
        ? own
        : own
            .map(node => ({ node, at: wanted(node) }))
            .sort((a, b) => a.at - b.at)
            .map(({ node }) => node)
    for (const node of sorted) {
      node.y = column === 1 ? next : Math.max(next, Math.round(wanted(node)))
      next = node.y + step
    }
    lowest = Math.max(lowest, next)
  }
  return lowest
}

const left = (column: Column): number => column * (wide + gap)
const short = (name: string): string => (name.length > mostLetters ? `…${name.slice(1 - mostLetters)}` : name)

const box = ({ id, column, name, y }: Node): string =>
  `<g class="node" data-node="${id}" data-name="${escaped(name)}"><title>${escaped(name)}</title><rect x="${left(column)}" y="${y}" width="${wide}" height="${high}" rx="5"/><text x="${left(column) + 8}" y="${y + 14}">${escaped(short(name))}</text></g>`

function curve([from, to]: readonly [Node, Node]): string {
  const [x, y, toX, toY] = [left(from.column) + wide, from.y + high / 2, left(to.column), to.y + high / 2]
  const middle = (x + toX) / 2
  return `<path data-from="${from.id}" data-to="${to.id}" d="M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}"/>`
}

/** A phone shows the list below it alone. */
export function lineagePicture(lines: readonly Line[]): string {
  const { nodes, edges } = flowOf(lines)
  const height = place([...nodes.values()])
  const width = left(4) + wide
  const heads = columns.map(
    (name, column) => `<text class="head" x="${left(column as Column)}" y="20">${name}</text>`,
  )
  return `<div class="flow-part"><p class="control"><label for="flow-find">Find in the picture and the list</label><input id="flow-find" type="search" autocomplete="off" spellcheck="false" disabled></p>
<div class="wide flow" id="flow" role="group" aria-label="The way of every fact, drawn" tabindex="0"><svg role="img" aria-label="${nodes.size} sources, topics, tables, views and operations, and ${edges.size} lines from one to the next. The list below says the same." width="${width + 16}" height="${height}" viewBox="-8 0 ${width + 16} ${height}">${heads.join('')}<g class="edges">${[...edges.values()].map(curve).join('')}</g>${[...nodes.values()].map(box).join('')}</svg></div></div>`
}
