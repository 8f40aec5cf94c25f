/** Takes out what a page writes for machines alone: letters of no size, off the screen, or in the colour of the paper. */
import type { DomDocument, DomElement } from './dom.ts'

const zero =
  /font-size\s{0,3}:\s{0,3}(?:0(?:px|pt|r?em|%)?|0?\.0\d{0,3}(?:px|pt|r?em|%)|(?:0?\.\d{1,3}|1|1\.\d{1,3})p[xt])\s{0,3}(?:!important\s{0,3})?(?:;|$)/i
const offScreen = /(?:^|[;\s])(?:text-indent|left|top|margin-left)\s*:\s*-\d{4,6}(?:px|em|rem)/i
const white = '(?:#f{3}(?:f{3})?|white|rgba?\\(\\s*255\\s*,\\s*255\\s*,\\s*255(?:\\s*,\\s*1)?\\s*\\))'
const whiteLetters = new RegExp(`(?:^|[;\\s])color\\s*:\\s*${white}\\s*(?:!important\\s*)?(?:;|$)`, 'i')
const whitePaper = new RegExp(`background(?:-color)?\\s*:\\s*${white}`, 'i')
const mostStyle = 1_000

/** Returns the number of letters that it takes out. */
export function withoutUnseen(document: DomDocument): number {
  let letters = 0
  for (const element of [...document.querySelectorAll('[style]')]) {
    const style = (element.getAttribute('style') ?? '').slice(0, mostStyle)
    const isHidden =
      zero.test(style) ||
      (offScreen.test(style) && /position\s*:\s*(?:absolute|fixed)|text-indent/i.test(style)) ||
      (whiteLetters.test(style) && isOnWhite(element, style))
    if (!isHidden) continue
    letters += element.textContent?.match(/[\p{L}\p{N}]/gu)?.length ?? 0
    element.remove()
  }
  return letters
}

/** A class or a style of what is around it may give it another paper. */
function isOnWhite(element: DomElement, style: string): boolean {
  if (whitePaper.test(style)) return true
  if (/background/i.test(style)) return false
  const dresses = (one: DomElement) =>
    ['class', 'id', 'style', 'bgcolor', 'background'].some(name => one.hasAttribute(name))
  if (element.hasAttribute('class')) return false
  for (let above = element.parentElement; above; above = above.parentElement) if (dresses(above)) return false
  return true
}
