/** What a page draws with a surface, and the order of its texts. */
import { type Box, clipOf, holds } from './clips.ts'
import type { Pdfium } from './pdfium.ts'

/** Values of FPDFPageObj_GetType. */
const [textObject, pathObject, imageObject, formObject] = [1, 2, 3, 5]
/** More objects of a page are not looked at. */
const mostObjects = 20_000
const mostCovers = 400
const leastSurface = 4

/** Something with a surface, and its place in the order of drawing. */
interface Cover extends Box {
  place: number
  /** Undefined if it is a picture that lets nothing through. */
  colour: readonly number[] | undefined
}

export interface Surfaces {
  covers: Cover[]
  /** The order of the texts. Texts in forms have no place. */
  places: Map<number, number>
  /** Whether a form of the page is cut somewhere. */
  cutsForms: boolean
}

export function surfacesOf(pdfium: Pdfium, page: number): Surfaces {
  const covers: Cover[] = []
  const places = new Map<number, number>()
  let cutsForms = false
  const at = pdfium.wasmExports.malloc(16)
  const count = Math.min(pdfium._FPDFPage_CountObjects(page), mostObjects)
  for (let place = 0; place < count; place++) {
    const object = pdfium._FPDFPage_GetObject(page, place)
    const type = pdfium._FPDFPageObj_GetType(object)
    if (type === textObject) places.set(object, place)
    const isDrawn = (type === pathObject || type === imageObject) && covers.length < mostCovers
    if (!isDrawn && type !== formObject) continue
    if (!pdfium._FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) continue
    const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(pdfium.HEAPU8.buffer, at, 4)
    if (type === formObject) {
      const clip = clipOf(pdfium, object)
      cutsForms ||= clip !== undefined && !holds(clip, { left, right, top, bottom })
      continue
    }
    // A line has no surface.
    if (right - left < leastSurface || top - bottom < leastSurface) continue
    const colour = type === pathObject ? fillOf(pdfium, object, at) : undefined
    const isSurface = type === pathObject ? colour : !pdfium._FPDFPageObj_HasTransparency(object)
    if (isSurface) covers.push({ left, right, top, bottom, place, colour })
  }
  pdfium.wasmExports.free(at)
  return { covers, places, cutsForms }
}

/** Undefined if it only has an outline. */
function fillOf(pdfium: Pdfium, path: number, at: number): number[] | undefined {
  if (!pdfium._FPDFPath_GetDrawMode(path, at, at + 4)) return undefined
  const [fill = 0] = new Int32Array(pdfium.HEAPU8.buffer, at, 1)
  if (fill === 0 || !pdfium._FPDFPageObj_GetFillColor(path, at, at + 4, at + 8, at + 12)) return undefined
  return [...new Uint32Array(pdfium.HEAPU8.buffer, at, 3)]
}
