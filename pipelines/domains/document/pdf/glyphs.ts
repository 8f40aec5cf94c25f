/** The letters of a page, each with its place, its direction, and whether it is visible. */
import type { Pdfium } from './pdfium.ts'

export interface Glyph {
  text: string
  /** In the frame of its own direction. Undefined for white space that PDFium has added. */
  box: { left: number; right: number; top: number; bottom: number } | undefined
  size: number
  /** The height of the line that it stands on, in the same frame. */
  base: number
  /** The direction of its line, in degrees. */
  angle: number
  object: number
  isHidden: boolean
}

/** PDFium's sign for the hyphen that splits a word at the end of a line. */
export const hyphen = '\uFFFE'
/** Values of FPDFTextObj_GetTextRenderMode: neither filled nor stroked, and clipping alone. */
const invisibleModes = [3, 7]
const leastAlpha = 12
const leastSize = 1.2
/** A lighter colour may be that of the paper. */
const light = 225

interface Drawn {
  isHidden: boolean
  isLight: boolean
  colour: readonly number[]
  angle: number
  size: number
}

export interface GlyphLooks {
  /** Whether this box of the page is empty: it has only one colour. */
  isBlank(box: { left: number; right: number; top: number; bottom: number }): boolean
  /** Whether it is off the page. */
  isOutside(box: { left: number; right: number; top: number; bottom: number }): boolean
  /** Whether a letter of a text object is hidden, by a picture over it or the edge of what is drawn; `some`: its look decides. */
  surface(
    object: number,
    colour: readonly number[],
    box: { left: number; right: number; top: number; bottom: number },
  ): 'none' | 'some' | 'hidden'
}

export function glyphsOf(pdfium: Pdfium, textPage: number, looks: GlyphLooks): Glyph[] {
  const count = pdfium._FPDFText_CountChars(textPage)
  const drawn = new Map<number, Drawn>()
  const glyphs: Glyph[] = []
  function isUnseen(box: Parameters<GlyphLooks['isBlank']>[0], object: number, how: Drawn): boolean {
    if (looks.isOutside(box)) return true
    const surface = looks.surface(object, how.colour, box)
    return surface === 'hidden' || ((how.isLight || surface === 'some') && looks.isBlank(box))
  }
  const at = pdfium.wasmExports.malloc(32)
  try {
    for (let i = 0; i < count; i++) {
      const code = pdfium._FPDFText_GetUnicode(textPage, i)
      if (code === 0 || code > 0x10ffff) continue
      const text = pdfium._FPDFText_IsHyphen(textPage, i) === 1 ? hyphen : String.fromCodePoint(code)
      const object = pdfium._FPDFText_GetTextObject(textPage, i)
      if (!object || pdfium._FPDFText_IsGenerated(textPage, i) === 1) {
        glyphs.push({ text, box: undefined, size: 0, base: 0, angle: 0, object: 0, isHidden: false })
        continue
      }
      const how = drawn.get(object) ?? drawnAs(pdfium, textPage, i, object, at)
      drawn.set(object, how)
      if (!pdfium._FPDFText_GetLooseCharBox(textPage, i, at)) continue
      const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(pdfium.HEAPU8.buffer, at, 4)
      const onPage = { left, top, right, bottom }
      const isHidden = how.isHidden || (text.trim() !== '' && isUnseen(onPage, object, how))
      const box = turned(onPage, how.angle)
      const base = baseOf(pdfium, textPage, i, how.angle, at) ?? box.bottom
      glyphs.push({ text, box, size: how.size || top - bottom, base, angle: how.angle, object, isHidden })
    }
  } finally {
    pdfium.wasmExports.free(at)
  }
  return glyphs
}

function drawnAs(pdfium: Pdfium, textPage: number, i: number, object: number, at: number): Drawn {
  const radians = pdfium._FPDFText_GetCharAngle(textPage, i)
  // PDFium counts the angle to the right.
  const angle = (360 - (Math.round((radians * 180) / Math.PI) % 360)) % 360
  const known = pdfium._FPDFText_GetFillColor(textPage, i, at, at + 4, at + 8, at + 12)
  const [red = 0, green = 0, blue = 0, alpha = 255] = known
    ? new Uint32Array(pdfium.HEAPU8.buffer, at, 4)
    : []
  const mode = pdfium._FPDFTextObj_GetTextRenderMode(object)
  const isStroked = mode === 1 || mode === 2
  const size = sizeOf(pdfium, textPage, i, angle, at)
  return {
    isHidden:
      invisibleModes.includes(mode) || (alpha < leastAlpha && !isStroked) || (size > 0 && size < leastSize),
    // The colour of an outline is not looked at.
    isLight: isStroked || Math.min(red, green, blue) >= light,
    colour: [red, green, blue],
    angle,
    size,
  }
}

function sizeOf(pdfium: Pdfium, textPage: number, i: number, angle: number, at: number): number {
  if (!pdfium._FPDFText_GetLooseCharBox(textPage, i, at)) return 0
  const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(pdfium.HEAPU8.buffer, at, 4)
  return Math.abs(angle % 180 === 90 ? right - left : top - bottom)
}

/** Undefined if PDFium does not know where the letter stands. */
function baseOf(pdfium: Pdfium, textPage: number, i: number, angle: number, at: number): number | undefined {
  if (!pdfium._FPDFText_GetCharOrigin(textPage, i, at, at + 8)) return undefined
  const [x = 0, y = 0] = new Float64Array(pdfium.HEAPU8.buffer, at, 2)
  return turned({ left: x, right: x, top: y, bottom: y }, angle).bottom
}

/** Turns a box so that its line runs to the right, and lines follow each other downwards. */
function turned(
  { left, right, top, bottom }: { left: number; right: number; top: number; bottom: number },
  angle: number,
) {
  const [sin, cos] = [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)]
  const corners = [left, right].flatMap(x => [top, bottom].map(y => [x * cos + y * sin, x * sin - y * cos]))
  const [xs, ys] = [corners.map(([x = 0]) => x), corners.map(([, y = 0]) => y)]
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}
