import { createHmac } from 'node:crypto'

/**
 * Makes a mark of something that nobody shall read back: its hash under a key of ours, the newest secret's first.
 * The same parts have the same marks, whoever names them.
 */
export type Marker = (...parts: readonly string[]) => readonly string[]

/** Marks for one use. `secrets` are asked for with the first mark; what an older one has marked is found as long as it
 *  is among them. */
export const createMarker = (secrets: () => readonly string[], use: string): Marker => {
  let keys: readonly Buffer[] | null = null
  return (...parts) => {
    keys ??= secrets().map((secret) => createHmac('sha256', secret).update(use).digest())
    const text = JSON.stringify(parts)
    return keys.map((key) => createHmac('sha256', key).update(text).digest('base64url'))
  }
}
