/** What extruct and price-parser of Python make of the same pages and texts. They are measured only where they are installed. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface PeerAnswer {
  price?: string
  currency?: string
  sku?: string
  brand?: string
  availability?: string
}

const script = fileURLToPath(new URL('product-peers.py', import.meta.url))

/** Undefined: they are not here. `PYTHON` names the interpreter that has them. */
export function askPeers(questions: readonly ({ url: string; html: string } | { text: string })[]) {
  const input = questions.map(question => JSON.stringify(question)).join('\n')
  const python = process.env.PYTHON ?? 'python3'
  const { status, stdout, stderr } = spawnSync(python, [script], { input, encoding: 'utf8', maxBuffer: 1e9 })
  if (status === 0)
    return stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as PeerAnswer)
  if (!/No module named|^$/.test(stderr ?? '')) console.log(stderr)
  return undefined
}
