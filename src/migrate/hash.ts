import { hash } from 'node:crypto'

/** Returns the SHA-256 in hex. */
export const hashOf = (bytes: Buffer): string => hash('sha256', bytes, 'hex')
