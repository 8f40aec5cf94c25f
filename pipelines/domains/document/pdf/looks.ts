/** Renders a page if the colour of a text alone does not show whether it is visible. */
import { Clips, isIn } from './clips.ts'
import type { GlyphLooks } from './glyphs.ts'
import type { Pdfium } from './pdfium.ts'
import { type Surfaces, surfacesOf } from './surfaces.ts'

/** The longer side of the rendered picture. */
const longestSide = 1_000
/** Colours with a smaller difference count as one. */
const leastContrast = 12
const white = 0xffffffff

const isBeyond = (a: number, b: number, most: number): boolean => Math.max(a, b) < 0 || Math.min(a, b) > most

/** Nothing is drawn before the first question. */
export function looksOf(pdfium: Pdfium, page: number): GlyphLooks & { close(): void } {
  const width = pdfium._FPDF_GetPageWidthF(page)
  const height = pdfium._FPDF_GetPageHeightF(page)
  const scale = longestSide / Math.max(width, height, 1)
  const [columns, rows] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  let bitmap = 0
  let surfaces: Surfaces | undefined
  const clips = new Clips(pdfium)
  const place = pdfium.wasmExports.malloc(8)

  function drawn(): number {
    if (bitmap) return bitmap
    bitmap = pdfium._FPDFBitmap_Create(columns, rows, 0)
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, white)
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, 0)
    return bitmap
  }

  /** The pixel of a point of the page. */
  function pixel(x: number, y: number): [number, number] {
    pdfium._FPDF_PageToDevice(page, 0, 0, columns, rows, 0, x, y, place, place + 4)
    const [column = 0, row = 0] = new Int32Array(pdfium.HEAPU8.buffer, place, 2)
    return [column, row]
  }

  return {
    surface(object, colour, { left, right, top, bottom }) {
      surfaces ??= surfacesOf(pdfium, page)
      const [x, y] = [(left + right) / 2, (top + bottom) / 2]
      const own = surfaces.places.get(object) ?? Infinity
      // A text in a form has no place, and a frame of its own.
      const isInForm = own === Infinity
      const cut = isInForm ? clips.cuts(object) || surfaces.cutsForms : clips.cut(object, x, y)
      if (cut === 'surely') return 'hidden'
      let found: ReturnType<GlyphLooks['surface']> = cut ? 'some' : 'none'
      for (const cover of surfaces.covers) {
        if (!isIn(x, y, cover)) continue
        const isLater = cover.place > own
        if (isLater && !cover.colour) return 'hidden'
        if (isLater || cover.colour?.every((value, i) => Math.abs(value - (colour[i] ?? 0)) < leastContrast))
          found = 'some'
      }
      return found
    },
    isOutside({ left, right, top, bottom }) {
      const [a, b] = [pixel(left, top), pixel(right, bottom)]
      return isBeyond(a[0], b[0], columns) || isBeyond(a[1], b[1], rows)
    },
    isBlank({ left, right, top, bottom }) {
      const [a, b] = [pixel(left, top), pixel(right, bottom)]
      const [x0, x1] = [Math.max(0, Math.min(a[0], b[0])), Math.min(columns - 1, Math.max(a[0], b[0]))]
      const [y0, y1] = [Math.max(0, Math.min(a[1], b[1])), Math.min(rows - 1, Math.max(a[1], b[1]))]
      if (x1 < x0 || y1 < y0) return true
      const of = drawn()
      if (!of) return false
      return hasOneColour(pdfium, of, { x0, x1, y0, y1 })
    },
    close() {
      if (bitmap) pdfium._FPDFBitmap_Destroy(bitmap)
      pdfium.wasmExports.free(place)
    },
  }
}

interface Pixels {
  x0: number
  x1: number
  y0: number
  y1: number
}

function hasOneColour(pdfium: Pdfium, bitmap: number, { x0, x1, y0, y1 }: Pixels): boolean {
  const [buffer, stride] = [pdfium._FPDFBitmap_GetBuffer(bitmap), pdfium._FPDFBitmap_GetStride(bitmap)]
  const least = [255, 255, 255]
  const most = [0, 0, 0]
  for (let y = y0; y <= y1; y++)
    for (let x = x0; x <= x1; x++)
      for (let channel = 0; channel < 3; channel++) {
        const value = pdfium.HEAPU8[buffer + y * stride + x * 4 + channel] ?? 255
        if (value < (least[channel] as number)) least[channel] = value
        if (value > (most[channel] as number)) most[channel] = value
      }
  return most.every((value, channel) => value - (least[channel] as number) < leastContrast)
}
