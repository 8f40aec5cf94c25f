/** The hash of Ethereum. Node has none, and WebAssembly needs a twentieth of the time of JavaScript. */
import hashWasm from 'hash-wasm'

const hasher = await hashWasm.createKeccak(256)

/** In hex. */
export const keccak256 = (bytes: Uint8Array): string => hasher.init().update(bytes).digest()

export const keccak256Bytes = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary')
