import { createHash } from 'node:crypto'
import type { SandboxEvent } from './objects.ts'

const ownerLength = 16

/** Returns the book of a buyer who begins with this checkout. */
export function ownerFrom(checkout: string): string {
  return hashOf('owner', checkout).slice(0, ownerLength)
}

/** Builds an id that contains its owner. */
export function idIn(prefix: string, owner: string, number?: number): string {
  return `${prefix}_${owner}${number?.toString(36) ?? ''}`
}

/** Returns the owner in an id; '' for other ids. */
export function ownerOf(id: string): string {
  return /^[a-z]+_([\w-]{16})/.exec(id)?.[1] ?? ''
}

/** Returns a short name, always the same for the same parts. */
export function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 24)
}

/** Returns the id of an event; each revision of an object has one. */
export function messageId(type: string, { id, updated }: SandboxEvent['data']): string {
  return `evt_${hashOf(type, id, updated)}`
}
