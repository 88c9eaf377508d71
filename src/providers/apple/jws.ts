import { isObject, type Json } from '../narrow.ts'

/**
 * Decodes a part of a compact JWS without verifying anything; null for anything else. 0 is the header, 1 the
 * payload.
 */
export function decodedPart(jws: unknown, part: 0 | 1): Json | null {
  if (typeof jws !== 'string') return null
  try {
    const value: unknown = JSON.parse(Buffer.from(jws.split('.')[part] ?? '', 'base64url').toString('utf8'))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/**
 * Decodes the payload of a JWS. What contains it was verified, or came from Apple's own API; an undecodable
 * payload is empty.
 */
export function payloadIn(jws: unknown): Json {
  return decodedPart(jws, 1) ?? {}
}
