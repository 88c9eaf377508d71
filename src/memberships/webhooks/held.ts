import type { ConfiguredProvider } from '../../providers/configured.ts'

type Modes = Pick<ConfiguredProvider, 'mode' | 'livemode'>
/** A message's word on its mode, on its own and on each object that it is about; null where it has none. */
type Words = readonly (boolean | null)[]

/** Why a message of the other mode is held back; null when none of its words says that it is. */
export const otherMode = ({ livemode }: Pick<Modes, 'livemode'>, words: Words): string | null =>
  livemode !== null && words.includes(!livemode)
    ? `sent from ${word(!livemode)} mode, this site runs on ${word(livemode)} mode`
    : null

/** The same, also where every message of the provider has to say its mode and this one does not: one secret signs
 *  purchases of both modes there, and a purchase with a test card must open nothing. */
export const whyHeld = ({ mode, livemode }: Modes, words: Words): string | null => {
  const other = otherMode({ livemode }, words)
  if (other !== null || livemode === null || mode !== 'message' || words.includes(livemode)) return other
  return `sent without a word on its mode, this site runs on ${word(livemode)} mode`
}

const word = (live: boolean): string => (live ? 'live' : 'test')
