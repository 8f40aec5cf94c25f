/** Whether a style keeps text from its readers, though it is not called hidden: of no size, off the screen, without a colour. */
import { type Declarations, judgedNames } from './style-rules.ts'

/** Letters that are smaller, in pixels, or fainter cannot be read. */
const [leastSize, leastOpacity] = [2, 0.05]

/** `surely`: nothing shows it. `perhaps`: a script may show it later, as it does with a long text. */
export function unseenBy(style: Declarations): 'surely' | 'perhaps' | undefined {
  const get = (name: string): string => style.get(name) ?? ''
  if (hasNoSize(style) || isElsewhere(get) || isTransparent(get) || hasColourOfPaper(get)) return 'surely'
  return hasNoOpacity(style) || isClipped(get) || get('visibility') === 'collapse' ? 'perhaps' : undefined
}

/** An order to a machine is shorter; a text that a script shows is longer. */
export const mostPerhaps = 600

/** What has no opacity by a class fades in, and what has no size by one may have parts with a size. */
function isUnseenRule(style: Declarations): boolean {
  const get = (name: string): string => style.get(name) ?? ''
  return isClipped(get) || isElsewhere(get) || isTransparent(get) || hasColourOfPaper(get)
}

export function hasNoSize(style: Declarations): boolean {
  const [, number = '', unit = ''] =
    /^(?:calc\(\s{0,3})?(\d{0,4}\.?\d{0,4})(px|pt|r?em|%|)(?:\s{0,3}\))?$/.exec(
      style.get('font-size') ?? '',
    ) ?? []
  if (number === '' || number === '.') return /^0(?:px)?(?:\/|\s)/.test(style.get('font') ?? '')
  const factor = unit === '%' ? 0.16 : /em/.test(unit) ? 16 : 1
  return Number(number) * factor < leastSize
}

/** What moves or fades in is seen later. */
function hasNoOpacity(style: Declarations): boolean {
  const isMoving = [...style.keys()].some(name =>
    /^(?:-webkit-)?(?:transform|transition|animation|will-change)/.test(name),
  )
  const opacity = /^(?:0?\.?\d{1,4}|0\.\d{1,4})%?$/.test(style.get('opacity') ?? '')
    ? Number.parseFloat(style.get('opacity') ?? '')
    : 1
  const isFiltered = /opacity\(\s?0?(?:\.0\d{0,3})?%?\s?\)/.test(style.get('filter') ?? '')
  return isFiltered || (opacity < leastOpacity && !isMoving)
}

type Get = (name: string) => string

function isClipped(get: Get): boolean {
  const clip = get('clip-path')
  if (
    /^inset\(\s?(?:50|[6-9]\d|100)%|^circle\(\s?0(?:px|%)?\s?[)a]|^polygon\(\s?0(?:px|%)? 0(?:px|%)?\s?\)/.test(
      clip,
    )
  )
    return true
  if (/^rect\((?:\s{0,2}[01](?:px)?\s{0,2},?){4}\)/.test(get('clip'))) return true
  if (
    /^(?:scale[xy]?|scale3d)\(\s?0(?:\.0\d{0,3})?\s?[,)]/.test(get('transform')) ||
    /^0(?:\s|$)/.test(get('scale'))
  )
    return true
  const isCut = /hidden|clip/.test(get('overflow') + get('overflow-x') + get('overflow-y'))
  const sizes = ['width', 'height', 'max-width', 'max-height'].map(get)
  if (isCut && /^0(?:px|r?em|%)?$/.test(get('line-height'))) return true
  return isCut && sizes.some(size => /^[01](?:px)?$/.test(size))
}

const far = /^-\d{3,7}(?:\.\d{1,3})?(?:px|em|rem|vw|vh|%)$/

function isElsewhere(get: Get): boolean {
  const isPlaced = /^(?:absolute|fixed)$/.test(get('position'))
  const moved = ['left', 'top', 'right', 'bottom'].map(get)
  if (isPlaced && moved.some(each => far.test(each) && Number.parseFloat(each) <= -500)) return true
  const indents = ['text-indent', 'margin-left', 'margin-top'].map(get)
  if (indents.some(each => far.test(each) && Number.parseFloat(each) <= -900)) return true
  return /^translate[xy3d]{0,2}\(\s?-\d{4,6}(?:px|%)/.test(get('transform'))
}

/** The fourth part of a colour is how much of it is seen. A colour of three parts is seen: black is `rgb(0, 0, 0)`. */
const noColour =
  /^(?:transparent|(?:rgb|hsl)a?\((?:(?:[^),/]{1,20},){3}|[^),/]{1,60}\/)\s?(?:0|0?\.0\d{0,3}|0%)\s?\)|#[0-9a-f]{3}0|#[0-9a-f]{6}0[0-9a])$/

/** A gradient behind the letters, or a shadow, shows them. */
function isTransparent(get: Get): boolean {
  if (/text/.test(get('background-clip') + get('-webkit-background-clip')) || get('text-shadow') !== '')
    return false
  return noColour.test(get('color')) || noColour.test(get('-webkit-text-fill-color'))
}

function hasColourOfPaper(get: Get): boolean {
  const paper = get('background-color') || get('background')
  const [letters, behind] = [colourOf(get('color')), colourOf(paper)]
  return letters !== '' && (letters === behind || isNear(letters, behind))
}

/** A reader cannot tell such colours from each other. */
const mostApart = 5

function isNear(one: string, other: string): boolean {
  if (!one.startsWith('#') || !other.startsWith('#')) return false
  return [1, 3, 5].every(at => Math.abs(partOf(one, at) - partOf(other, at)) <= mostApart)
}
const partOf = (colour: string, at: number): number => Number.parseInt(colour.slice(at, at + 2), 16)

/** Whether letters of this colour cannot be seen on white. */
export const isWhite = (colour: string): boolean => isNear(colourOf(colour), '#ffffff')

const names: Record<string, string> = {
  white: '#ffffff',
  black: '#000000',
  red: '#ff0000',
  blue: '#0000ff',
  gray: '#808080',
  grey: '#808080',
}

const hsl =
  /^hsla?\(\s{0,3}(\d{1,3})(?:\.\d{1,4})?(?:deg)?[\s,]{1,3}(\d{1,3})(?:\.\d{1,4})?%[\s,]{1,3}(\d{1,3})(?:\.\d{1,4})?%(?:[\s,/]{1,3}(?:1|100%))?\s{0,3}\)$/

function ofHsl(hue: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const part = (from: number): number => {
    const turn = (from + hue / 30) % 12
    return 255 * (lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1)))
  }
  return ofParts([part(0), part(8), part(4)])
}

const ofParts = (parts: readonly number[]): string =>
  `#${parts
    .map(part => Math.max(0, Math.min(255, Math.round(part))))
    .map(part => part.toString(16).padStart(2, '0'))
    .join('')}`

/** Of six digits, or the word itself. Empty where it is none. */
function colourOf(text: string): string {
  const named = names[text] ?? text
  const [, three] = /^#([0-9a-f]{3})$/.exec(named) ?? []
  if (three) return `#${[...three].map(digit => digit + digit).join('')}`
  const [, hue, saturation, lightness] = hsl.exec(named) ?? []
  if (hue) return ofHsl(Number(hue), Number(saturation) / 100, Number(lightness) / 100)
  const [, ...parts] =
    /^rgba?\(\s{0,3}(\d{1,3})[\s,]{1,3}(\d{1,3})[\s,]{1,3}(\d{1,3})(?:[\s,/]{1,3}1)?\s{0,3}\)$/.exec(named) ??
    []
  if (parts.length) return ofParts(parts.map(Number))
  return /^(?:#[0-9a-f]{6}|[a-z]{3,20})$/.test(named) &&
    !/^(?:inherit|initial|unset|none|transparent|currentcolor|var)$/.test(named)
    ? named
    : ''
}

/** The classes and ids whose rule, alone and for every screen, keeps text from its readers: `.class` and `#id`. */
export const unseenNamesIn = (html: string): Set<string> =>
  new Set(judgedNames(html, style => isUnseenRule(style) || undefined).keys())
