/** Hides the native part of secp256k1, as on a platform that it was not built for. */
const { Module } = require('node:module')
const load = Module._load
Module._load = function (request, ...rest) {
  if (request === 'node-gyp-build') throw new Error('no native build')
  if (/\belliptic\b/.test(request)) {
    process.stderr.write('elliptic was loaded\n')
    process.exit(1)
  }
  return load.call(this, request, ...rest)
}
