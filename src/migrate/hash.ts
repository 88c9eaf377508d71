import { createHash } from 'node:crypto'

/** SHA-256 in hex. */
export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
