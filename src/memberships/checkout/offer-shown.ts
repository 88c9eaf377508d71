import { addInterval, type Plan, type Price, toCost } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { costIn, titleIn, trialIn, type Voice } from '../../core/words/index.ts'
import type { LookWords } from './look-words.ts'
import { digestOf } from './prospect.ts'

/** A price with the free days that this buyer gets; null or 0: none. */
export interface ShownOffer {
  readonly price: Price
  readonly trial_days: number | null
}

/** The word for what a price list shows of a price: sent with its form, nothing is bought at other terms. */
export const shownOfOffer = (
  { id, amount, currency, interval, interval_count }: Price,
  trialDays: number | null,
): string => digestOf({ id, amount, currency, interval, interval_count, trial_days: trialDays || 0 })

/** Refuses to open a checkout for what is not sold as it was shown. @throws ERR_SHOWN_CHANGED with the offer of now */
export const requireShownOffer = (
  { price, trial_days }: ShownOffer,
  shown: string | null | undefined,
): void => {
  if (shown === null || shown === undefined || shown === shownOfOffer(price, trial_days)) return
  throw new MembershipError('ERR_SHOWN_CHANGED', 'The price has changed since you were shown it.', {
    action: 'Look again, and confirm what is shown now. Nothing was bought.',
    extensions: { offer: { price, trial_days }, shown: shownOfOffer(price, trial_days) },
  })
}

/** What is paid today and later, of a price that is bought; null where the amount is not known here. */
export const offerTerms = (
  { price, trial_days }: ShownOffer,
  { voice, now }: { voice: Voice; now: Date },
): string | null => {
  const { amount, currency, provider, interval } = price
  if (amount === null || currency === null) return null
  const sum = voice.amount({ amount, currency, provider })
  if (interval === null) return voice.say('offer.once', { amount: sum })
  const cost = costIn(voice, toCost(price, 1), provider) ?? ''
  const dayMs = 86_400_000
  const next = trial_days
    ? new Date(now.getTime() + trial_days * dayMs).toISOString()
    : addInterval(now.toISOString(), { interval, interval_count: price.interval_count ?? 1 })
  return voice.say(trial_days ? 'offer.trial' : 'offer.recurring', {
    amount: sum,
    cost,
    date: voice.day(next, now),
  })
}

/** The page of an offer whose terms have changed, in words. */
export const offerWords = (
  offer: ShownOffer,
  { voice, plans, now }: { voice: Voice; plans: readonly Plan[]; now: Date },
): LookWords => {
  const { price, trial_days } = offer
  const title = titleIn(voice, price.id, plans)
  const cost = price.interval === null ? null : costIn(voice, toCost(price, 1), price.provider)
  const sum =
    price.amount === null || price.currency === null
      ? null
      : voice.amount({ amount: price.amount, currency: price.currency, provider: price.provider })
  const isFree = Boolean(trial_days) && price.interval !== null
  const facts = [
    { label: voice.say('look.to'), text: cost === null ? title : voice.say('look.terms', { title, cost }) },
    ...(isFree
      ? [{ label: voice.say('offer.free'), text: trialIn(voice, { ...price, trial_days }) ?? '' }]
      : []),
    { label: voice.say('look.today'), text: isFree ? voice.say('look.nothing') : (sum ?? '–') },
    { label: voice.say('offer.then'), text: offerTerms(offer, { voice, now }) ?? '–' },
  ]
  const button = isFree ? 'offer.start' : price.interval === null ? 'offer.buy' : 'offer.subscribe'
  return {
    heading: voice.say('offer.heading', { title }),
    facts,
    button: voice.say(button, { amount: sum ?? '', cost: cost ?? '' } as never),
  }
}
