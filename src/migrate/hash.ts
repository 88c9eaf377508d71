import { hash } from 'node:crypto'

/** Returns the SHA-256 in hex. */
export function hashOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
}
