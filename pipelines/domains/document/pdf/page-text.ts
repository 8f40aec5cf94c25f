/** The text of a page in reading order, without invisible letters. */
import { type Glyph, glyphsOf, hyphen } from './glyphs.ts'
import { ordered, type Piece } from './layout.ts'
import { looksOf } from './looks.ts'
import { cleaned, type Pdfium } from './pdfium.ts'
import { gapOf, leastGap, RaisedText } from './raised.ts'

export interface PageText {
  text: string
  /** The number of invisible letters that were left out. */
  hidden: number
}

/** A gap of this many letter sizes begins another piece. */
const wideGap = 0.9
/** This hyphen belongs to a name, `EIP-7594`, and splits no word. */
const namesHyphen = /\uFFFE\n(?=\p{N})|(?<=\p{Ll})\uFFFE\n(?=\p{Lu})/gu
/** A page with fewer visible letters and a picture is a scan. Its invisible text is the text that was recognised in it. */
const lettersOfScan = 10

export function pageText(pdfium: Pdfium, page: number, textPage: number, hasImages: () => boolean): PageText {
  const looks = looksOf(pdfium, page)
  try {
    const glyphs = glyphsOf(pdfium, textPage, looks)
    const isLetter = ({ text }: Glyph) => /[\p{L}\p{N}]/u.test(text)
    const hidden = glyphs.filter(glyph => glyph.isHidden && isLetter(glyph)).length
    const seen = glyphs.filter(glyph => !glyph.isHidden && isLetter(glyph)).length
    const isScan = hidden > 0 && seen < lettersOfScan && hasImages()
    const shown = isScan ? glyphs : glyphs.filter(({ isHidden }) => !isHidden)
    return { text: cleaned(textOf(shown).replace(namesHyphen, '-')), hidden: isScan ? 0 : hidden }
  } finally {
    looks.close()
  }
}

/** Each direction is read separately, the one with the most text first. */
function textOf(glyphs: readonly Glyph[]): string {
  const directions = new Map<number, Piece[]>()
  for (const { angle, ...piece } of piecesOf(glyphs)) {
    const same = directions.get(angle) ?? []
    same.push(piece)
    directions.set(angle, same)
  }
  const letters = (pieces: readonly Piece[]) => pieces.reduce((sum, { text }) => sum + text.length, 0)
  return [...directions.values()]
    .sort((a, b) => letters(b) - letters(a))
    .map(pieces => ordered(pieces).join('\n'))
    .join('\n\n')
}

type Directed = Piece & { angle: number }

/**
 * Letters that are consecutive in the file and next to each other on the page. Their order stays, because PDFium has
 * corrected it.
 */
function piecesOf(glyphs: readonly Glyph[]): Directed[] {
  const pieces: Directed[] = []
  const texts: RaisedText[] = []
  let open: Directed | undefined
  let before: Glyph | undefined
  let isBroken = false
  for (const glyph of glyphs) {
    const { text, box, size, angle } = glyph
    if (!box) {
      if (/[\r\n]/.test(text)) isBroken = true
      else if (open && !isBroken) texts.at(-1)?.space(text === hyphen ? hyphen : ' ')
      continue
    }
    // PDFium also breaks a line where its letters only rise or fall.
    const goesOn = open && before && follows(before, glyph) && (!isBroken || rises(before, glyph))
    isBroken = false
    if (open && goesOn) {
      texts.at(-1)?.add(glyph)
      open.left = Math.min(open.left, box.left)
      open.right = Math.max(open.right, box.right)
      open.top = Math.min(open.top, box.top)
      open.bottom = Math.max(open.bottom, box.bottom)
      open.size = Math.max(open.size, size)
    } else if (text.trim()) {
      open = { text, ...box, size, angle, place: pieces.length }
      pieces.push(open)
      texts.push(new RaisedText(glyph))
    }
    before = glyph
  }
  return pieces.map((piece, i) => ({ ...piece, text: texts[i]?.taken() ?? piece.text }))
}

/** The letter is close to the one before it, and has another height. */
const rises = (a: Glyph, b: Glyph): boolean => {
  const gap = gapOf(a, b) / Math.max(a.size, b.size)
  return Math.abs(gap) < leastGap && Math.abs(a.base - b.base) > Math.max(a.size, b.size) * 0.08
}

function follows(a: Glyph, b: Glyph): boolean {
  if (!a.box || !b.box || a.angle !== b.angle) return false
  const size = Math.max(a.size, b.size)
  const middle = (box: NonNullable<Glyph['box']>) => (box.top + box.bottom) / 2
  if (Math.abs(middle(a.box) - middle(b.box)) > size * 0.6) return false
  if (/[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(a.text + b.text))
    return Math.min(Math.abs(a.box.left - b.box.right), Math.abs(b.box.left - a.box.right)) < size * 2
  return b.box.left - a.box.right < size * wideGap && b.box.left > a.box.left - size * 0.5
}
