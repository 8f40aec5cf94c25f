/** The part of a page to which an object is cut. What lies outside of it is not drawn. */
import type { Pdfium } from './pdfium.ts'

export interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

interface Clip extends Box {
  /** All of the box is drawn. Otherwise its form is not a rectangle. */
  isWhole: boolean
}

/** More paths, or more points of one, are not looked at. */
const [mostPaths, mostPoints] = [30, 60]

/** The clips of a page. */
export class Clips {
  readonly #pdfium: Pdfium
  readonly #known = new Map<number, Clip | undefined>()

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium
  }

  cuts(object: number): boolean {
    return this.#of(object) !== undefined
  }

  /** Whether a point of an object is cut off. */
  cut(object: number, x: number, y: number): 'surely' | 'perhaps' | false {
    const clip = this.#of(object)
    if (!clip) return false
    return isIn(x, y, clip) ? !clip.isWhole && 'perhaps' : 'surely'
  }

  #of(object: number): Clip | undefined {
    if (!this.#known.has(object)) this.#known.set(object, clipOf(this.#pdfium, object))
    return this.#known.get(object)
  }
}

/** In the frame of the object. Undefined if it is not cut. */
export function clipOf(pdfium: Pdfium, object: number): Clip | undefined {
  const clip = pdfium._FPDFPageObj_GetClipPath(object)
  const paths = clip ? Math.min(pdfium._FPDFClipPath_CountPaths(clip), mostPaths) : 0
  let found: Clip | undefined
  for (let path = 0; path < paths; path++) {
    const points = pointsOf(pdfium, clip, path)
    if (!points) continue
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
    found = {
      left: Math.max(found?.left ?? -Infinity, Math.min(...xs)),
      right: Math.min(found?.right ?? Infinity, Math.max(...xs)),
      bottom: Math.max(found?.bottom ?? -Infinity, Math.min(...ys)),
      top: Math.min(found?.top ?? Infinity, Math.max(...ys)),
      isWhole: (found?.isWhole ?? true) && isRectangle(points),
    }
  }
  return found
}

type Point = readonly [x: number, y: number]

/** Undefined if there are none, or too many. */
function pointsOf(pdfium: Pdfium, clip: number, path: number): Point[] | undefined {
  const count = pdfium._FPDFClipPath_CountPathSegments(clip, path)
  if (count < 1 || count > mostPoints) return undefined
  const at = pdfium.wasmExports.malloc(8)
  const points: Point[] = []
  for (let i = 0; i < count; i++) {
    const segment = pdfium._FPDFClipPath_GetPathSegment(clip, path, i)
    if (!segment || !pdfium._FPDFPathSegment_GetPoint(segment, at, at + 4)) continue
    const [x = 0, y = 0] = new Float32Array(pdfium.HEAPU8.buffer, at, 2)
    points.push([x, y])
  }
  pdfium.wasmExports.free(at)
  return points.length ? points : undefined
}

/** Four corners, and perhaps the first one again, each level with the one before. */
const isRectangle = (points: readonly Point[]): boolean =>
  (points.length === 4 || points.length === 5) &&
  points.every(([x, y], i) => {
    const [a, b] = points[i - 1] ?? [x, y]
    return Math.abs(x - a) < 0.01 || Math.abs(y - b) < 0.01
  })

export const isIn = (x: number, y: number, { left, right, top, bottom }: Box): boolean =>
  x >= left && x <= right && y >= bottom && y <= top

/** Whether a box lies in it as a whole. */
export const holds = (clip: Clip, { left, right, top, bottom }: Box): boolean =>
  clip.isWhole && isIn(left, bottom, clip) && isIn(right, top, clip)
