/**
 * Code for inside a page, after its text was read: it writes raised letters, formulas and readings with marks, takes out what
 * nobody sees, and puts the texts of shadow trees and of documents without an address where a reader sees them. `innerText` has
 * none of that. Only a reader of the marked text and of the HTML sees the changes.
 */
import { marks, raisedMark, unseenMark } from '../pages/marked.ts'
import { seeing } from './seeing.ts'

const mostMarked = 5_000
const mostRoots = 2_000
const mostFormula = 4_000
const mostCells = 20_000

export const composing = `
${seeing}
/** The document, its open shadow trees, and documents in frames that have no address of their own. */
function rootsOf() {
  const roots = [document]
  const frames = []
  for (let at = 0; at < roots.length && roots.length < ${mostRoots}; at += 1)
    for (const element of roots[at].querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.localName !== 'iframe' || !hasOwnText(element)) continue
      let inside = null
      try { inside = element.contentDocument } catch {}
      if (inside?.body) {
        frames.push(element)
        roots.push(inside)
      }
    }
  return { roots, frames }
}
const hasOwnText = frame => frame.hasAttribute('srcdoc') || /^$|^(?:about|javascript):/i.test(frame.getAttribute('src') ?? '')

function markFound({ unseen, gone, raised }) {
  for (const element of gone) element.setAttribute('hidden', '')
  for (const { element, letters } of unseen) element.setAttribute('${unseenMark}', letters)
  for (const { element, shift } of raised) element.setAttribute('${raisedMark}', shift)
}
/** A page may not tell of it by itself. */
function unmark(roots) {
  for (const root of roots) for (const name of ['${unseenMark}', '${raisedMark}'])
    for (const each of root.querySelectorAll('[' + name + ']')) each.removeAttribute(name)
}

/** The HTML with its shadow trees, and with the documents of its frames. */
function htmlOf({ roots, frames }) {
  for (const frame of [...frames].reverse()) frame.setAttribute('srcdoc', frame.contentDocument.documentElement.outerHTML)
  const of = document.documentElement
  const shadowRoots = roots.filter(root => root.host && root.ownerDocument === document)
  if (!shadowRoots.length || !of.getHTML) return of?.outerHTML ?? ''
  const [tag] = of.cloneNode(false).outerHTML.split('></html>')
  return tag + '>' + of.getHTML({ shadowRoots }) + '</html>'
}

function writeScripts(root, raised) {
  const ofTags = [...root.querySelectorAll('sup, sub')].map(element => ({ element, shift: element.localName }))
  for (const { element: each, shift } of [...ofTags, ...raised].slice(0, ${mostMarked})) {
    const isUp = shift === 'sup'
    if (each.parentElement?.closest('sup, sub')) each.prepend(isUp ? '^' : '_')
    else {
      const isNote = each.closest('a[href*="#"]') ?? each.querySelector('a[href*="#"]')
      each.prepend((isUp ? '${marks.sup}' : '${marks.sub}') + (isNote ? '${marks.note}' : ''))
      each.append('${marks.end}')
    }
  }
}

/** Of a formula that a page writes twice, the one that only looks like it goes. */
function writeFormulas(root) {
  for (const math of [...root.querySelectorAll('math')].slice(0, ${mostMarked})) {
    if (!math.isConnected) continue
    let shown = math
    let above = math.parentElement
    for (let steps = 0; above && steps < 3; steps += 1, above = above.parentElement)
      if (/mathml|assistive/i.test(above.localName + ' ' + above.getAttribute('class'))) shown = above
    const isHidden = shown !== math
    for (const other of [shown.nextElementSibling, shown.previousElementSibling])
      if (other && !other.querySelector('math') && (other.getAttribute('aria-hidden') === 'true' || /katex-html/.test(other.getAttribute('class')))) other.remove()
    for (const each of math.querySelectorAll('annotation, annotation-xml')) each.remove()
    const isSeen = isHidden || math.getClientRects().length > 0
    const markup = math.outerHTML.replace(/\\sclass="[^"]*"|\\sstyle="[^"]*"/g, '').slice(0, ${mostFormula})
    shown.replaceWith(isSeen ? '${marks.formula}' + (isHidden ? '${marks.note}' : '') + markup + '${marks.end}' : '')
  }
}

function writeReadings(root) {
  for (const ruby of [...root.querySelectorAll('ruby')].slice(0, ${mostMarked})) {
    for (const each of ruby.querySelectorAll('rp')) each.remove()
    for (const each of ruby.querySelectorAll('rt')) each.replaceWith(each.textContent.trim() ? '(' + each.textContent.trim() + ')' : '')
  }
}

/** Beside a cell that reaches over more columns or rows come cells without a text, so that columns keep their places. */
function writeCells(root) {
  const isSeen = cell => cell.getClientRects().length > 0
  const tables = [...root.querySelectorAll('table')]
    .filter(table => table.querySelector(':scope > * > tr > [colspan], :scope > * > tr > [rowspan]'))
    // A change makes the next question about what is seen dear.
    .map(table => [...table.rows].map(row => ({ row, group: row.parentNode, cells: [...row.cells].filter(isSeen) })))
  let most = ${mostCells}
  for (const rows of tables) for (let at = 0, covered = []; at < rows.length && most > 0; at += 1) {
    const { row, group, cells } = rows[at]
    if (group !== rows[at - 1]?.group) covered = []
    let column = 0
    const fill = before => { if (most-- > 0) row.insertBefore(row.ownerDocument.createElement('td'), before) }
    for (const cell of [...cells, null]) {
      for (; covered[column] > 0; column += 1) {
        covered[column] -= 1
        fill(cell)
      }
      if (!cell) continue
      const [wide, high] = [Math.min(cell.colSpan, 100), cell.rowSpan || rows.length]
      cell.colSpan = cell.rowSpan = 1
      for (const end = column + wide; column < end; column += 1) {
        covered[column] = high - 1
        if (column > end - wide) fill(cell.nextSibling)
      }
    }
  }
}

/** The text of nodes of a shadow tree: a slot shows what fills it. */
function textOf(nodes) {
  let text = ''
  for (const node of nodes) {
    if (node.nodeType === 3) { text += node.data.replace(/\\s+/g, ' '); continue }
    if (node.nodeType !== 1) continue
    const { display } = getComputedStyle(node)
    if (display === 'none') continue
    const filled = node.localName === 'slot' ? node.assignedNodes() : []
    if (filled.length) { text += textOf(filled); continue }
    for (const slot of node.querySelectorAll('slot')) if (slot.assignedNodes().length) put(slot, textOf(slot.assignedNodes()))
    const line = /^(?:inline|contents)/.test(display) ? '' : '\\n'
    text += line + (node.innerText ?? '') + line
  }
  return text.replace(/[^\\S\\n]*\\n[^\\S\\n]*/g, '\\n').replace(/\\n{3,}/g, '\\n\\n')
}
function put(element, text) {
  const shown = element.ownerDocument.createElement('span')
  const display = { slot: 'inline', iframe: 'block' }[element.localName] ?? getComputedStyle(element).display
  shown.style.cssText = 'white-space:pre-wrap;display:' + display
  shown.textContent = text
  element.replaceWith(shown)
}

/** From the innermost to the outermost. Returns whether the marked text differs from the one before. */
function compose({ roots, frames }, { unseen, raised }) {
  for (const { element } of unseen) for (const text of [...element.childNodes]) if (text.nodeType === 3) text.data = ''
  const count = unseen.length + raised.length + frames.length + roots.length - 1
  const hasNotation = roots.some(root => root.querySelector('sup, sub, math, ruby, [colspan], [rowspan]'))
  for (const root of roots) {
    writeCells(root)
    writeReadings(root)
    writeFormulas(root)
    writeScripts(root, raised.filter(({ element }) => element.getRootNode() === root))
  }
  for (const root of [...roots].reverse()) {
    if (root.host?.isConnected) {
      const text = root.host.getClientRects().length || getComputedStyle(root.host).display === 'contents' ? textOf(root.childNodes) : ''
      put(root.host, text.trim())
    }
    const frame = frames.find(each => each.contentDocument === root)
    if (frame?.isConnected) put(frame, frame.getClientRects().length ? root.body.innerText : '')
  }
  return count > 0 || hasNotation
}
`
