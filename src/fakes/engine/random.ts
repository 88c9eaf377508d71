import { createHash } from 'node:crypto'
import { trackSet } from './replica.ts'
import { type Tracking, trackValue } from './saving.ts'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * Creates random numbers in [0, 1) that depend only on the seed and the stream's name, so that streams do not
 * affect each other.
 */
export function createRandom(seed: string | number, stream: string, saving?: Tracking): () => number {
  let state = createHash('sha256').update(`${seed} ${stream}`).digest().readUInt32LE(0)
  trackValue(
    saving,
    () => state,
    (saved) => {
      state = saved
    },
  )
  // mulberry32, a generator in the public domain.
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Creates ids of `prefix_` and letters, as most providers have them; none is given twice. */
export function createIds(random: () => number, saving?: Tracking) {
  const given = new Set<string>()
  if (saving !== undefined) trackSet(saving, given)
  return (prefix: string, length = 24): string => {
    for (;;) {
      let id = `${prefix}_`
      for (let i = 0; i < length; i++) id += letters[Math.floor(random() * letters.length)]
      if (!given.has(id)) {
        given.add(id)
        return id
      }
    }
  }
}
/** Makes an id with this prefix and a number of letters (24). */
export type Ids = ReturnType<typeof createIds>

/** Turns a text into a UUID of version 4; the same text gives the same one. */
export function toUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]!
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
