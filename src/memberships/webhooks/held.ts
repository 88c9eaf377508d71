import type { ConfiguredProvider } from '../../providers/configured.ts'

type Modes = Pick<ConfiguredProvider, 'mode' | 'livemode'>
/** The mode that an event states for itself and for each of its objects; null where it states none. */
type Words = readonly (boolean | null)[]

/** Explains why an event of the other mode is held; null when it states no other mode. */
export const otherMode = ({ livemode }: Pick<Modes, 'livemode'>, words: Words): string | null =>
  livemode !== null && words.includes(!livemode)
    ? `sent from ${word(!livemode)} mode, this site runs on ${word(livemode)} mode`
    : null

/**
 * Same as `otherMode`, and also holds an event without a mode where the provider must state one. Such a provider signs
 * both modes with one secret, and a test purchase must open nothing.
 */
export const whyHeld = ({ mode, livemode }: Modes, words: Words): string | null => {
  const other = otherMode({ livemode }, words)
  if (other !== null || livemode === null || mode !== 'message' || words.includes(livemode)) return other
  return `sent without a word on its mode, this site runs on ${word(livemode)} mode`
}

const word = (live: boolean): string => (live ? 'live' : 'test')
