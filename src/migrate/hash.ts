import { hash } from 'node:crypto'

/** SHA-256 in hex. */
export const hashOf = (bytes: Buffer): string => hash('sha256', bytes, 'hex')
