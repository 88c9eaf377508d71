import { createHmac } from 'node:crypto'

/**
 * Hashes parts under our own keys, so that nobody can read them back. The newest secret's hash comes first. Equal parts
 * have equal hashes.
 */
export type Marker = (...parts: readonly string[]) => readonly string[]

/**
 * Creates a marker for one use. `secrets` are read with the first mark. Marks of an older secret are found while it is
 * listed.
 */
export const createMarker = (secrets: () => readonly string[], use: string): Marker => {
  let keys: readonly Buffer[] | null = null
  return (...parts) => {
    keys ??= secrets().map((secret) => createHmac('sha256', secret).update(use).digest())
    const text = JSON.stringify(parts)
    return keys.map((key) => createHmac('sha256', key).update(text).digest('base64url'))
  }
}
