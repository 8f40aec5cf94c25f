/**
 * Code for inside a page: it finds the text that no reader sees, whatever style sheet hides it, and the letters that a style
 * raises. `innerText` has the former all the same, and joins the latter with the number before.
 */

/** A longer text is shown by a script later; an order to a machine is shorter. */
const mostPerhaps = 600
/** More elements of a page are not looked at: they count as seen. */
const mostLooked = 12_000

/**
 * Defines `seeing(roots)`. It finds the elements whose own text is unseen, with its letters (0 where `innerText` leaves it out
 * anyway), those that are not shown at all, and those that are raised.
 */
export const seeing = `
const lettersIn = text => (text.slice(0, 100000).match(/[\\p{L}\\p{N}]/gu) ?? []).length
const channels = colour => {
  const [r, g, b, a = 1] = (colour.match(/[\\d.]+/g) ?? []).map(Number)
  return /^rgba?\\(/.test(colour) ? { r, g, b, a } : undefined
}
const isNear = (one, two) => ['r', 'g', 'b'].every(each => Math.abs(one[each] - two[each]) < 8)
const isCut = style => /hidden|clip/.test(style.overflowX + style.overflowY)
const moves = style => style.animationName !== 'none' || (/[1-9]/.test(style.transitionDuration) &&
  /all|opacity|height|width|clip|transform|left|top|right|bottom|inset|margin/.test(style.transitionProperty))
const silent = /^(?:head|script|style|link|meta|title|noscript|template|slot)$/
const holdsFormula = /mathml|assistive/i

const states = new WeakMap()
/** What an element hides of all that is in it. */
function stateOf(element, style, above) {
  const state = { ...above, gone: above.gone || style.display === 'none' || style.contentVisibility === 'hidden' }
  if (state.gone) return state
  state.fontSize = parseFloat(style.fontSize)
  state.moves ||= moves(style)
  // A formula in a place that nobody sees has a copy beside it.
  state.isFormula ||= element.localName === 'math' && [element.parentElement, element.parentElement?.parentElement]
    .some(each => each && holdsFormula.test(each.localName + ' ' + each.getAttribute('class')))
  const filter = /opacity\\(0(?:\\.0\\d*)?\\)/.test(style.filter) ? 0 : 1
  state.opacity = above.opacity * Number(style.opacity) * filter
  const { clientWidth: width, clientHeight: height } = element
  const clipped = /^inset\\((?:50|[6-9]\\d|100)%|^circle\\(0|^polygon\\(0(?:px|%)? 0(?:px|%)?\\)/.test(style.clipPath) ||
    /^rect\\((?:[01](?:px)?,? ?){4}\\)/.test(style.clip) ||
    (isCut(style) && style.display !== 'inline' && (width <= 1 || height <= 1))
  const faint = state.opacity < 0.05 && !(above.opacity < 0.05)
  if ((clipped || faint) && !moves(style)) state.hides ||= lettersIn(element.textContent) <= ${mostPerhaps}
  state.isClipped ||= isCut(style) && !/^(?:html|body)$/.test(element.localName)
  state.hasInk ||= style.backgroundClip === 'text'
  const paper = channels(style.backgroundColor)
  if (style.backgroundImage !== 'none' || style.backdropFilter !== 'none' || !paper) state.paper = undefined
  else if (paper.a > 0) state.paper = paper.a === 1 ? paper : undefined
  return state
}

/** Whether something else than the paper may lie under a text. */
function isOverOther(element, rect, state, surfaces) {
  let above = element
  for (let steps = 0; above && steps < 30; steps += 1, above = above.parentElement)
    for (const side of ['::before', '::after']) {
      const { content, backgroundImage, backgroundColor } = getComputedStyle(above, side)
      if (content !== 'none' && (backgroundImage !== 'none' || channels(backgroundColor)?.a)) return true
    }
  return surfaces.some(({ box, paper }) => !(paper && isNear(paper, state.paper)) &&
    box.left < rect.right && box.right > rect.left && box.top < rect.bottom && box.bottom > rect.top)
}

function isUnseenText(text, element, style, state, range) {
  if (state.isFormula) return false
  if (state.hides || parseFloat(style.fontSize) < 2) return true
  const ink = channels(style.webkitTextFillColor)
  const hasEdge = style.textShadow !== 'none' || parseFloat(style.webkitTextStrokeWidth) > 0
  if (ink && ink.a <= 0.05 && !hasEdge && !state.hasInk) return true
  range.selectNodeContents(text)
  const { left, right, top, bottom, width, height } = range.getBoundingClientRect()
  if (width < 1 || height < 1) return true
  const far = state.isClipped ? -3000 : state.moves ? -1500 : 0
  if (right + scrollX <= far || bottom + scrollY <= far) return true
  const box = element.getBoundingClientRect()
  const isBeside = left >= box.right || right <= box.left || top >= box.bottom || bottom <= box.top
  if (isBeside && isCut(style) && !moves(style) && style.display !== 'inline' && lettersIn(text.data) <= ${mostPerhaps}) return true
  if (ink && state.paper && ink.a === 1 && isNear(ink, state.paper) && !hasEdge && !state.hasInk)
    return lettersIn(text.data) <= ${mostPerhaps} && 'perhaps'
  return false
}

function shiftOf(element, style, fontSize) {
  if (!/^inline/.test(style.display) || /^su[bp]$/.test(element.localName) || element.closest('sup, sub')) return ''
  const text = element.textContent.trim()
  if (!text || text.length > 60) return ''
  const align = style.verticalAlign
  if (align === 'super' || align === 'sub') return align === 'super' ? 'sup' : 'sub'
  const isSmaller = parseFloat(style.fontSize) < fontSize * 0.9
  if (!isSmaller || !/^[-\\u2212+.,]?\\d{1,4}[*\\u2020\\u2021]?$/.test(text)) return ''
  const moved = style.position === 'relative' ? -parseFloat(style.top) || parseFloat(style.bottom) || 0 : 0
  const height = parseFloat(align) || moved
  if (height > 0 || /top/.test(align)) return 'sup'
  return height < 0 || align === 'text-bottom' ? 'sub' : ''
}

function seeing(roots) {
  const [unseen, gone, raised, surfaces, perhaps] = [[], [], [], [], []]
  const dark = /dark/.test(getComputedStyle(document.documentElement).colorScheme)
  const first = { gone: false, opacity: 1, hides: false, isClipped: false, hasInk: false,
    moves: false, isFormula: false, fontSize: 16, paper: dark ? undefined : { r: 255, g: 255, b: 255, a: 1 } }
  const range = document.createRange()
  let looked = 0
  for (const root of roots) for (const element of root.querySelectorAll('*')) {
    if (++looked > ${mostLooked}) break
    const around = element.parentElement ?? root.host
    const above = states.get(around) ?? first
    if (above.gone) { states.set(element, above); continue }
    const style = getComputedStyle(element)
    const state = stateOf(element, style, above)
    states.set(element, state)
    if (state.gone && !silent.test(element.localName) && gone.length < 5000) gone.push(element)
    if (state.gone) continue
    if (style.visibility !== 'visible') {
      const own = [...element.childNodes].filter(each => each.nodeType === 3).map(each => each.data).join('')
      if (own.trim() && lettersIn(own) <= ${mostPerhaps}) unseen.push({ element, letters: 0 })
      continue
    }
    const isPicture = /^(?:img|video|canvas|svg|iframe|object|embed)$/.test(element.localName)
    if ((isPicture || state.paper !== above.paper) && surfaces.length < 2000)
      surfaces.push({ box: element.getBoundingClientRect(), paper: isPicture ? undefined : state.paper })
    let [letters, maybe] = [0, 0]
    for (const text of element.childNodes) {
      if (text.nodeType !== 3 || !text.data.trim()) continue
      range.selectNodeContents(text)
      if (range.getClientRects().length === 0) continue
      const answer = isUnseenText(text, element, style, state, range)
      if (answer === 'perhaps') maybe += lettersIn(text.data)
      else if (answer) letters += lettersIn(text.data)
    }
    if (letters) unseen.push({ element, letters })
    else if (maybe && perhaps.length < 200) perhaps.push({ element, state, letters: maybe })
    const shift = shiftOf(element, style, above.fontSize)
    if (shift && raised.length < 5000) raised.push({ element, shift })
  }
  for (const { element, state, letters } of perhaps)
    if (!isOverOther(element, element.getBoundingClientRect(), state, surfaces)) unseen.push({ element, letters })
  return { unseen, gone, raised }
}
`
