/** The thread of signers.ts. A line is a digest in hex and a signature; its answer is the signer, or nothing. */
import { parentPort } from 'node:worker_threads'
import { signerOfDigest } from './ecdsa.ts'

const port = parentPort
if (!port) throw new Error('signer-thread is a worker thread')
const digestDigits = 64

const signerIn = (line: string): string =>
  signerOfDigest(Buffer.from(line.slice(0, digestDigits), 'hex'), line.slice(digestDigits)) ?? ''

port.on('message', (lines: string) => port.postMessage(lines.split('\n').map(signerIn).join('\n')))
