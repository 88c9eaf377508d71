import type { Subscription } from '../../core/dto/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import { confirmedResume } from '../../memberships/checkout/index.ts'
import type { Said, View } from '../../memberships/members/index.ts'

/** One line about what was just done, and the form that takes it back where there is one. */
export interface Spoken {
  readonly code: Said['code']
  readonly sentence: string
  readonly undo: {
    readonly url: string
    readonly fields: Readonly<Record<string, string>>
    readonly label: string
  } | null
}

/** Says what was done to whoever did it. Pure. */
export const spokenOf = (
  said: Said,
  { view, voice, now }: { view: View; voice: Voice; now: Date },
): Spoken => ({
  code: said.code,
  sentence: sentenceOf(said, { view, voice, now }),
  undo: undoOf(said, { view, voice, now }),
})

const sentenceOf = (said: Said, { view, voice, now }: { view: View; voice: Voice; now: Date }): string => {
  const { code, price, at, email } = said
  const title = titleIn(voice, price ?? null, view.plans())
  const date = at === undefined ? null : voice.day(at, now)
  switch (code) {
    case 'changed':
    case 'kept':
    case 'ended':
      return voice.say(`said.${code}`, { title })
    case 'changing':
      return date === null
        ? voice.say('said.changed', { title })
        : voice.say('said.changing', { title, date })
    case 'canceled':
      if (isOwed(subscriptionOf(said, view))) return voice.say('said.canceled_owed', { title })
      return date === null
        ? voice.say('said.canceled_plain', { title })
        : voice.say('said.canceled', { title, date })
    case 'paused':
    case 'resumed':
      return date === null
        ? voice.say(`said.${code}_plain`, { title })
        : voice.say(`said.${code}`, { title, date })
    case 'email_asked':
    case 'email_changed':
    case 'email_back':
    case 'merge_asked':
    case 'merge_other_asked':
      return voice.say(`said.${code}`, { email: email ?? '' })
    default:
      return voice.say(`said.${code}`)
  }
}

// The button stands where its consequence was just read: what goes on is what was there before.
const undoOf = (
  said: Said,
  { view, voice, now }: { view: View; voice: Voice; now: Date },
): Spoken['undo'] => {
  const { code } = said
  const s = subscriptionOf(said, view)
  if (code !== 'canceled' || !s || s.ended || view.standing() !== 'verified') return null
  return {
    url: `/membership/resume/${encodeURIComponent(s.id)}`,
    fields: { shown: confirmedResume(s, now) },
    label: voice.say('said.undo'),
  }
}

const subscriptionOf = ({ subscription }: Said, view: View): Subscription | undefined =>
  view
    .user()
    ?.subscriptions()
    .find(({ id }) => id === subscription)

const isOwed = (s: Subscription | undefined): boolean => s?.past_due === true || s?.status === 'unpaid'
