import { describe, expect, test } from 'vitest'
import { mayBeCovered } from '../../../schemas/tables/us-coverage.ts'
import { isInPolygon, type Ring } from '../../../schemas/values/polygon.ts'

describe('the service may cover', () => {
  test.each([
    ['Cape Flattery', 48.38, -124.73],
    ['the Northwest Angle', 49.35, -95.15],
    ['Isle Royale', 48.1, -88.6],
    ['Sault Ste. Marie', 46.5, -84.35],
    ['Detroit', 42.33, -83.05],
    ['Buffalo', 42.9, -78.88],
    ['Massena', 44.93, -74.89],
    ['Fort Kent', 47.25, -68.59],
    ['Eastport', 44.9, -66.98],
    ['Nantucket', 41.28, -70.1],
    ['Montauk', 41.04, -71.95],
    ['Cape Hatteras', 35.22, -75.53],
    ['Miami Beach', 25.79, -80.13],
    ['Key West', 24.55, -81.78],
    ['Dry Tortugas', 24.63, -82.87],
    ['Venice, Louisiana', 29.28, -89.36],
    ['Brownsville', 25.9, -97.5],
    ['Laredo', 27.5, -99.5],
    ['Big Bend', 29.0, -103.2],
    ['El Paso', 31.76, -106.49],
    ['Nogales', 31.34, -110.94],
    ['San Diego', 32.6, -117.1],
    ['San Clemente Island', 32.9, -118.5],
    ['the Farallones', 37.7, -123.0],
    ['Utqiagvik', 71.29, -156.79],
    ['Ketchikan', 55.34, -131.65],
    ['St. Lawrence Island', 63.7, -171.5],
    ['St. Paul', 57.12, -170.28],
    ['Adak', 51.88, -176.65],
    ['Attu', 52.9, 172.9],
    ['Hilo', 19.72, -155.08],
    ['Lihue', 21.98, -159.37],
    ['San Juan', 18.47, -66.11],
    ['Christiansted', 17.75, -64.7],
    ['Hagåtña', 13.48, 144.75],
    ['Saipan', 15.18, 145.75],
    ['Pago Pago', -14.28, -170.7],
  ])('%s', (_, lat, lon) => {
    expect(mayBeCovered([lon, lat])).toBe(true)
  })
})

describe('the service certainly does not cover', () => {
  test.each([
    ['London', 51.5, -0.12],
    ['Nassau', 25.05, -77.36],
    ['Havana', 23.11, -82.37],
    ['Mexico City', 19.43, -99.13],
    ['Monterrey', 25.67, -100.31],
    ['Calgary', 51.05, -114.07],
    ['Winnipeg', 49.9, -97.14],
    ['Quebec', 46.81, -71.21],
    ['Halifax', 44.65, -63.57],
    ['Bermuda', 32.3, -64.78],
    ['Whitehorse', 60.72, -135.06],
    ['Santo Domingo', 18.49, -69.93],
    ['Manila', 14.6, 120.98],
    ['Apia', -13.83, -171.77],
    ['the middle of the Atlantic', 38, -50],
    ['the middle of the Pacific', 35, -145],
  ])('%s', (_, lat, lon) => {
    expect(mayBeCovered([lon, lat])).toBe(false)
  })
})

test('a hole is outside', () => {
  const square = (half: number): Ring => [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
    [-half, -half],
  ]
  expect(isInPolygon([0, 1.5], [square(2), square(1)])).toBe(true)
  expect(isInPolygon([0, 0.5], [square(2), square(1)])).toBe(false)
  expect(isInPolygon([3, 0], [square(2), square(1)])).toBe(false)
  expect(isInPolygon([0, 0], [])).toBe(false)
})
