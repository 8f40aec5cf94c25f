/** Draws a profile: a box for each function, as wide as its time, on top of the one that called it. */
import type { Profiler } from 'node:inspector'

const width = 1600
const rowHeight = 17
const leastWidth = 0.6

interface Box {
  name: string
  place: string
  us: number
  over: Map<string, Box>
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`)

export function flameGraph(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  placeOf: (frame: Profiler.ProfileNode['callFrame']) => string,
): string {
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id])))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const root: Box = { name: 'all', place: '', us: 0, over: new Map() }
  samples.forEach((id, i) => {
    const stack: Profiler.ProfileNode['callFrame'][] = []
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at))
      stack.unshift(frames.get(at) as never)
    if (/^\((idle|program)\)$/.test(stack.at(-1)?.functionName ?? '')) return
    let box = root
    box.us += timeDeltas[i] ?? 0
    for (const frame of stack.slice(1)) {
      const [name, place] = [frame.functionName || '(anonymous)', placeOf(frame)]
      const known: Box = box.over.get(`${name} ${place}`) ?? { name, place, us: 0, over: new Map() }
      box.over.set(`${name} ${place}`, known)
      known.us += timeDeltas[i] ?? 0
      box = known
    }
  })

  const drawn: string[] = []
  let deepest = 0
  function draw({ name, place, us, over }: Box, x: number, depth: number): void {
    const wide = (us / root.us) * width
    if (wide < leastWidth) return
    deepest = Math.max(deepest, depth)
    const color = place.startsWith('node:') ? '#c9d7e8' : /\.ts$/.test(place) ? '#f2b36b' : '#dcd3bd'
    const text = wide > 40 ? escaped(name).slice(0, Math.floor(wide / 6.5)) : ''
    const y = depth * rowHeight
    drawn.push(
      `<g><title>${escaped(`${name} ${place}`)}: ${((100 * us) / root.us).toFixed(1)} %</title><rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${color}"/><text x="${(x + 3).toFixed(1)}" y="${y + 12}">${text}</text></g>`,
    )
    let at = x
    for (const child of [...over.values()].sort((a, b) => b.us - a.us)) {
      draw(child, at, depth + 1)
      at += (child.us / root.us) * width
    }
  }
  draw(root, 0, 0)
  const height = (deepest + 1) * rowHeight
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">${drawn.join('\n')}</svg>\n`
}
