// Verifies an attestation with no code of Farebox: node verify-attestation.js attestation.json signer.json roots.pem
import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, verify, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { recoverTypedDataAddress } from 'viem'

const [file, known, roots] = process.argv.slice(2)
const { statement, statement_sha256, signature, timestamps, log, evidence } = JSON.parse(readFileSync(file))
const { keys, domain, types, log: ofLog } = JSON.parse(readFileSync(known)) // GET /attest/signer
const bytes = base64 => Buffer.from(base64, 'base64')
const hash = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()
const hex = part => hash(Buffer.from(part)).toString('hex')
const sorted = (_, value) =>
  value?.constructor === Object ? Object.fromEntries(Object.entries(value).sort()) : value
const canonical = value => JSON.stringify(value, sorted)
const check = (name, holds) => holds || process.exit(console.log(`${name}: wrong`) ?? 1)
check('statement_sha256', hex(canonical(statement)) === statement_sha256)
const [{ observed_at: at, final_url, tls }, { value, signer }] = [statement, signature]
const hashes = {
  certificate_sha256: tls?.certificate_sha256 ?? '',
  statement_sha256: `0x${statement_sha256}`,
}
const typed = { domain, types, primaryType: 'Attestation', message: { ...statement, ...hashes } }
check('signature', (await recoverTypedDataAddress({ ...typed, signature: value })).toLowerCase() === signer)
const key = keys.find(({ address }) => address === signer)
check('key', key && !key.revoked_at && (key.valid_from ?? '') <= at && at < (key.valid_until ?? '9'))
const tokens = timestamps.map(({ token_base64 }) => bytes(token_base64))
for (const [i, { time }] of timestamps.entries()) {
  writeFileSync(`${file}.tsr`, tokens[i])
  const asked = ['-token_in', '-in', `${file}.tsr`, '-digest', statement_sha256, '-CAfile', roots]
  const isNear = Math.abs(Date.parse(time) - Date.parse(at)) < 300_000
  const isSaid = isNear && tokens[i].includes(time.replace(/[-:T]|\.000/g, ''))
  check('timestamp', isSaid && spawnSync('openssl', ['ts', '-verify', ...asked]).status === 0)
}

const [text, signed] = log.checkpoint.split(/(?<=\n)\n— \S+ /)
const [name, size, root] = text.split('\n')
const x = bytes(ofLog.verifier_key.replace(/.*\+/, '')).subarray(1).toString('base64url')
const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
const isSigned = verify(null, Buffer.from(text), publicKey, bytes(signed).subarray(4))
check('log_checkpoint', name === ofLog.origin && isSigned)
const entry = { statement_sha256, signature: value, timestamps_sha256: hex(Buffer.concat(tokens)) }
let [node, place, last] = [hash(Buffer.of(0), Buffer.from(canonical(entry))), log.index, size - 1]
for (const beside of log.inclusion.map(each => Buffer.from(each, 'hex'))) {
  while (place % 2 === 0 && place === last) [place, last] = [place / 2, last / 2]
  node = place % 2 ? hash(Buffer.of(1), beside, node) : hash(Buffer.of(1), node, beside)
  ;[place, last] = [Math.floor(place / 2), Math.floor(last / 2)]
}
check('log_inclusion', place === 0 && node.equals(bytes(root)))
const { text: said, screenshot_base64: picture, html_base64: html, certificates_base64: chain } = evidence
check('text', said === undefined || hex(said) === statement.text_sha256)
check('screenshot', picture === undefined || hex(bytes(picture)) === statement.screenshot_sha256)
check('html', html === undefined || hex(bytes(html)) === statement.html_sha256)
check('certificate', !chain || chain.map(each => hex(bytes(each))).join() === tls?.chain_sha256.join())
check(
  'certificate_name',
  !chain || new X509Certificate(bytes(chain[0])).checkHost(new URL(final_url).hostname),
)
console.log(`valid: ${final_url} at ${at}, signed by ${signer}`)
