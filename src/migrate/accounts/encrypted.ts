/**
 * Returns true for a text that may contain something that `isEncrypted` recognises. It is cheap enough for
 * whole files.
 */
export function mayBeEncrypted(text: string): boolean {
  return /ciphertext|encrypted|eyJ|crypt:|enc:|nonce|"iv"|\biv:|[A-Za-z0-9+/_-]{32}/i.test(text)
}

/**
 * Returns true for an encrypted value: marked, base64 or hex text, a JWE, or a map of initial vector and
 * cipher text.
 */
export function isEncrypted(value: string): boolean {
  const text = value.trim()
  if (/^(encrypted|enc|crypt|cipher)[:|]\s*\S/i.test(text)) return true
  if (/^eyJ[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return true
  if (isEncryptedMap(text)) return true
  // Long texts may be broken into lines; a customer id is shorter.
  const joined = text.replace(/[\r\n]+/g, '')
  return joined.length >= 32 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(joined)
}

// Formats of common libraries: { iv, value, mac }, { nonce, data }, { ciphertext, iv, tag }, …
function isEncryptedMap(text: string): boolean {
  const has = (name: string) => new RegExp(`(?:^|[{,\\s"'])${name}["']? {0,8}:`, 'i').test(text)
  if (has('ciphertext')) return true
  return (has('iv') || has('nonce')) && ['value', 'data', 'tag', 'mac', 'payload', 'text'].some(has)
}
