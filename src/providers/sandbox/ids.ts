import { createHash } from 'node:crypto'
import type { SandboxEvent } from './objects.ts'

const ownerLength = 16

/** The book of a buyer who begins with this checkout. */
export const ownerFrom = (checkout: string): string => hashOf('owner', checkout).slice(0, ownerLength)

/** An id of something in a book: it says whose it is. */
export const idIn = (prefix: string, owner: string, number?: number): string =>
  `${prefix}_${owner}${number?.toString(36) ?? ''}`

/** Owner of the book that an id is from; '' for an id of none. */
export const ownerOf = (id: string): string => /^[a-z]+_([\w-]{16})/.exec(id)?.[1] ?? ''

/** A short name that the same parts always get. */
export const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 24)

/** The id of a message: of one revision of an object there is one. */
export const messageId = (type: string, { id, updated }: SandboxEvent['data']): string =>
  `evt_${hashOf(type, id, updated)}`
