/** Whether a point is inside a polygon on the plane of longitude and latitude: warnings are drawn on it. */
export type GeoPosition = readonly [lon: number, lat: number]
export type Ring = readonly GeoPosition[]
/** Outline first, then holes, as in GeoJSON. */
type Polygon = readonly Ring[]

export function isInRing([lon, lat]: GeoPosition, ring: Ring): boolean {
  let inside = false
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [x1, y1] = ring[i] as GeoPosition
    const [x2, y2] = ring[j] as GeoPosition
    if (y1 > lat !== y2 > lat && lon < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) inside = !inside
  }
  return inside
}

export const isInPolygon = (point: GeoPosition, [outline = [], ...holes]: Polygon): boolean =>
  isInRing(point, outline) && !holes.some(hole => isInRing(point, hole))
