/** Draws samples as lines, each name on its own scale, which begins at 0. */
const [width, rowHeight, left, gap] = [1000, 110, 10, 30]

export function lineChart(
  title: string,
  samples: readonly Record<string, number>[],
  everySeconds: number,
): string {
  const names = Object.keys(samples[0] ?? {})
  const rows = names.map((name, row) => {
    const values = samples.map(sample => sample[name] ?? 0)
    const most = Math.max(...values, 1)
    const top = gap + row * (rowHeight + gap)
    const x = (at: number) => left + (at / Math.max(1, values.length - 1)) * (width - 2 * left)
    const y = (value: number) => top + gap / 2 + rowHeight * (1 - value / most)
    const line = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
    return `<text x="${left}" y="${top + 8}">${name}: at most ${most.toFixed(1)}</text><line x1="${left}" x2="${width - left}" y1="${y(0)}" y2="${y(0)}" stroke="#999"/><polyline points="${line}" fill="none" stroke="#b4540a" stroke-width="1.5"/>`
  })
  const height = gap + names.length * (rowHeight + gap) + gap
  const span = `${((samples.length * everySeconds) / 60).toFixed(0)} minutes, a point every ${everySeconds} s`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12"><title>${title}; ${span}</title><rect width="${width}" height="${height}" fill="#fff"/><text x="${left}" y="18" font-size="14">${title}; ${span}</text>\n${rows.join('\n')}\n</svg>\n`
}
