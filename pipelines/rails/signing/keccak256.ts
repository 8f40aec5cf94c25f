/** The hash of Ethereum. Node has none, and in WebAssembly it takes a twentieth of the time that it takes in JavaScript. */
import hashWasm from 'hash-wasm'

const hasher = await hashWasm.createKeccak(256)

/** In hex. */
export const keccak256 = (bytes: Uint8Array): string => hasher.init().update(bytes).digest()
