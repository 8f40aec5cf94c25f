/**
 * Writes what a page keeps in trees of its own into the page: shadow trees, with the children of their hosts in their
 * slots, and documents in `srcdoc`.
 */
import { decodeHTMLAttribute } from 'entities/decode'
import { parseDocument } from 'htmlparser2'
import { shallow } from './document.ts'

/** The part of a node of htmlparser2 that is written again. */
interface Node {
  type: string
  data?: string
  name?: string
  attribs?: Record<string, string>
  children?: Node[]
}

const hasTrees = /<template\s[^<>]{0,500}\bshadowroot|<iframe\s[^<>]{0,4000}\bsrcdoc/i
const mostFrames = 3
const empty = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/
/** They say nothing of the page that has the frame. */
const ofFrameOnly = /^(?:head|title|meta|link|base)$/

/** Any other page stays as it is. */
export const composed = (html: string): string => (hasTrees.test(html) ? written(treeOf(html), 0) : html)

/** The parser takes the square of the depth, so the tree has a bounded one. */
function treeOf(html: string): readonly Node[] {
  const { children } = parseDocument(shallow(html), { decodeEntities: false }) as unknown as Node
  return children ?? []
}

/** The children of a host, by the slots that show them. Each is shown once, with the slots of what is around the host. */
interface Slots {
  of: Map<string, Node[]>
  around: Slots | undefined
}

interface Open {
  nodes: readonly Node[]
  at: number
  end: string
  slots: Slots | undefined
}

/** `depth` is the number of frames around it. */
function written(nodes: readonly Node[], depth: number): string {
  const out: string[] = []
  const open: Open[] = [{ nodes, at: 0, end: '', slots: undefined }]
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const node = top.nodes[top.at]
    top.at += 1
    if (!node) {
      out.push(top.end)
      open.pop()
    } else if (node.type === 'text') out.push(node.data ?? '')
    else if (node.type === 'directive') out.push(`<${node.data}>`)
    else if (node.name === undefined || !node.attribs) continue
    else if (depth > 0 && ofFrameOnly.test(node.name)) continue
    else if (node.name === 'iframe' && node.attribs.srcdoc !== undefined)
      out.push('<div>', framed(node.attribs.srcdoc, depth), '</div>')
    else {
      const { begin, end } = tagsOf(node)
      out.push(begin)
      open.push({ ...inside(node, top.slots), at: 0, end })
    }
  }
  return out.join('')
}

/** A document in a document is composed too. */
function framed(srcdoc: string, depth: number): string {
  return depth < mostFrames ? written(treeOf(decodeHTMLAttribute(srcdoc)), depth + 1) : ''
}

/** What a reader sees in an element: its shadow tree, what its slot shows, or its children. */
function inside(node: Node, slots: Slots | undefined): Pick<Open, 'nodes' | 'slots'> {
  const { children = [], name, attribs } = node
  const root = children.find(({ name: tag, attribs: own }) => tag === 'template' && isShadow(own))
  if (root) return { nodes: root.children ?? [], slots: slotted(children, root, slots) }
  const slot = attribs?.name ?? ''
  const shown = name === 'slot' && slots?.of.get(slot)
  if (!shown) return { nodes: children, slots }
  slots?.of.delete(slot)
  return { nodes: shown, slots: slots?.around }
}

const isShadow = (attribs: Record<string, string> | undefined): boolean =>
  attribs?.shadowrootmode !== undefined || attribs?.shadowroot !== undefined

function slotted(children: readonly Node[], root: Node, around: Slots | undefined): Slots {
  const of: Slots['of'] = new Map()
  for (const child of children) {
    if (child === root || !(child.name || child.type === 'text')) continue
    const name = child.attribs?.slot ?? ''
    const before = of.get(name)
    if (before) before.push(child)
    // White space alone does not take the place of what a slot has.
    else if (child.name || child.data?.trim()) of.set(name, [child])
  }
  return { of, around }
}

function tagsOf({ type, name = '', attribs = {} }: Node): { begin: string; end: string } {
  const more = Object.entries(attribs).map(([key, value]) => ` ${key}="${value.replaceAll('"', '&quot;')}"`)
  // A template that is no shadow tree stays one, and a script stays a script.
  const isEmpty = type === 'tag' && empty.test(name)
  return { begin: `<${name}${more.join('')}>`, end: isEmpty ? '' : `</${name}>` }
}

const frameTag = /<i?frame(?=[\s/])[^<>]{0,4000}>/gi
const source = /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
const unshown =
  /\shidden(?=[\s=>/])|\s(?:width|height)\s*=\s*["']?[01](?:px)?(?=["'\s>])|(?:display\s*:\s*none|visibility\s*:\s*hidden)/i
const [mostTold, longestTold] = [20, 2_048]

/** The addresses of the documents that the page shows in frames. Their text is not in it. */
export function framesIn(html: string, url: string | undefined): string[] {
  const told = new Set<string>()
  for (const [tag] of html.matchAll(frameTag)) {
    const [, quoted, single, bare] = source.exec(tag) ?? []
    const target = URL.parse(decodeHTMLAttribute(quoted ?? single ?? bare ?? '').trim(), url)
    const isOther = target && /^https?:$/.test(target.protocol) && !/\ssrcdoc\s*=/i.test(tag)
    if (!isOther || unshown.test(tag) || target.href.length > longestTold) continue
    told.add(target.href)
    if (told.size === mostTold) break
  }
  return [...told]
}
