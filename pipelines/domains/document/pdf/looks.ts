/** Renders a page if the colour of a text alone does not show whether it is visible. */
import type { GlyphLooks } from './glyphs.ts'
import type { Pdfium } from './pdfium.ts'

/** The longer side of the rendered picture. */
const longestSide = 1_000
/** Colours with a smaller difference count as one. */
const leastContrast = 12
const white = 0xffffffff

/** Values of FPDFPageObj_GetType. */
const [pathObject, imageObject] = [2, 3]
/** More objects of a page are not looked at. */
const mostObjects = 20_000
const mostCovers = 400

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

/** Something with a surface, and its place in the order of drawing. */
interface Cover extends Box {
  place: number
  /** Undefined if it is a picture that lets nothing through. */
  colour: readonly number[] | undefined
}

/** The surfaces of a page, and the order of its texts. */
function surfacesOf(pdfium: Pdfium, page: number): { covers: Cover[]; places: Map<number, number> } {
  const covers: Cover[] = []
  const places = new Map<number, number>()
  const at = pdfium.wasmExports.malloc(16)
  const count = Math.min(pdfium._FPDFPage_CountObjects(page), mostObjects)
  for (let place = 0; place < count; place++) {
    const object = pdfium._FPDFPage_GetObject(page, place)
    const type = pdfium._FPDFPageObj_GetType(object)
    if (type === textObject) places.set(object, place)
    if ((type !== pathObject && type !== imageObject) || covers.length >= mostCovers) continue
    if (!pdfium._FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) continue
    const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(pdfium.HEAPU8.buffer, at, 4)
    // A line has no surface.
    if (right - left < leastSurface || top - bottom < leastSurface) continue
    const colour = type === pathObject ? fillOf(pdfium, object, at) : undefined
    const isSurface = type === pathObject ? colour : !pdfium._FPDFPageObj_HasTransparency(object)
    if (isSurface) covers.push({ left, right, top, bottom, place, colour })
  }
  pdfium.wasmExports.free(at)
  return { covers, places }
}

/** Undefined if it only has an outline. */
function fillOf(pdfium: Pdfium, path: number, at: number): number[] | undefined {
  if (!pdfium._FPDFPath_GetDrawMode(path, at, at + 4)) return undefined
  const [fill = 0] = new Int32Array(pdfium.HEAPU8.buffer, at, 1)
  if (fill === 0 || !pdfium._FPDFPageObj_GetFillColor(path, at, at + 4, at + 8, at + 12)) return undefined
  return [...new Uint32Array(pdfium.HEAPU8.buffer, at, 3)]
}

const textObject = 1
const leastSurface = 4

const isBeyond = (a: number, b: number, most: number): boolean => Math.max(a, b) < 0 || Math.min(a, b) > most

/** Nothing is drawn before the first question. */
export function looksOf(pdfium: Pdfium, page: number): GlyphLooks & { close(): void } {
  const width = pdfium._FPDF_GetPageWidthF(page)
  const height = pdfium._FPDF_GetPageHeightF(page)
  const scale = longestSide / Math.max(width, height, 1)
  const [columns, rows] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  let bitmap = 0
  let surfaces: ReturnType<typeof surfacesOf> | undefined
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
      let found: ReturnType<GlyphLooks['surface']> = 'none'
      for (const cover of surfaces.covers) {
        if (x < cover.left || x > cover.right || y < cover.bottom || y > cover.top) continue
        const isLater = cover.place > own
        if (isLater && !cover.colour) return 'picture'
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
      const [buffer, stride] = [pdfium._FPDFBitmap_GetBuffer(of), pdfium._FPDFBitmap_GetStride(of)]
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
    },
    close() {
      if (bitmap) pdfium._FPDFBitmap_Destroy(bitmap)
      pdfium.wasmExports.free(place)
    },
  }
}
