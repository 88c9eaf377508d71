import type { Plan, Prospect, Terms } from '../../core/dto/index.ts'
import { costIn, taxedIn, titleIn, type Voice } from '../../core/words/index.ts'
import { bindingFacts, createsDuty, noShopLaw, type ShopLaw } from './order-words.ts'

/** A page that shows what a deed does, in words: every fact with its name, and a button that says the deed. */
export interface LookWords {
  readonly heading: string
  readonly facts: readonly { readonly label: string; readonly text: string }[]
  readonly button: string
}

interface Speaking {
  readonly voice: Voice
  readonly plans: readonly Plan[]
  readonly now: Date
  readonly law?: ShopLaw
}

/** Says a prospect to whoever has to agree to it. Where the law of the shop asks for it, what creates a duty to pay says so
 *  on its button, with renewal and notice beside it. */
export const lookWords = (p: Prospect, { voice, plans, now, law = noShopLaw }: Speaking): LookWords => {
  const about = speaking(p, { voice, plans, now, law })
  const isOrder = law.isInEurope && createsDuty(p)
  const facts = [
    { label: voice.say('look.from'), text: about.terms(p.from) },
    ...(p.deed === 'change' && p.to ? [{ label: voice.say('look.to'), text: about.terms(p.to) }] : []),
    ...(p.deed === 'change' ? [{ label: voice.say('look.when'), text: about.when() }] : []),
    ...(p.deed === 'cancel' ? [{ label: voice.say('look.ends'), text: about.when() }] : []),
    { label: voice.say('look.today'), text: about.today() },
    ...(p.credit > 0
      ? [
          {
            label: voice.say('look.credit'),
            text: voice.say('look.credit_counts', { amount: about.money(p.credit) }),
          },
        ]
      : []),
    { label: voice.say('look.next'), text: about.next() },
    ...about.access().map((text) => ({ label: voice.say('look.access'), text })),
    ...(isOrder && p.to?.cost ? bindingFacts(p.to.cost, voice) : []),
  ]
  return {
    heading: voice.say(`look.heading.${p.deed}`, { title: about.title(p.to ?? p.from) }),
    facts,
    button: isOrder ? voice.say('order.button') : about.button(),
  }
}

const speaking = (p: Prospect, { voice, plans, now, law = noShopLaw }: Speaking) => {
  const day = (at: string) => voice.day(at, now)
  const money = (amount: number) =>
    voice.amount({ amount, currency: p.currency ?? p.from.cost?.currency ?? 'EUR', provider: p.provider })
  const title = ({ price_id, quantity }: Terms) => titleIn(voice, price_id, plans, quantity)
  const terms = (item: Terms): string => {
    const cost = costIn(voice, item.cost, p.provider)
    return cost === null
      ? title(item)
      : voice.say('look.terms', { title: title(item), cost: taxedIn(voice, cost, law.tax) })
  }
  const when = () => (p.at === null ? voice.say('look.at_once') : day(p.at))

  const today = (): string => {
    if (p.amount_due === null) return voice.say('look.provider_counts')
    return p.amount_due === 0 ? voice.say('look.nothing') : money(p.amount_due)
  }

  const next = (): string => {
    if (p.next_payment === null) return voice.say(p.is_owed ? 'look.next_owed' : 'look.next_none')
    const { at, amount } = p.next_payment
    if (at === null) return amount === null ? '–' : voice.say('look.next_period', { amount: money(amount) })
    if (amount === 0 && p.credit > 0) return voice.say('look.next_credit', { date: day(at) })
    return amount === null
      ? voice.say('look.next_unknown', { date: day(at) })
      : voice.say('look.next_sum', { amount: money(amount), date: day(at) })
  }

  const access = (): string[] => {
    const kept = (at: string) => voice.say('look.access_until', { title: title(p.from), date: day(at) })
    if (p.deed === 'pause')
      return [
        p.access_until === null
          ? voice.say('look.access_stays')
          : voice.say('look.pause_closes', { date: day(p.access_until) }),
      ]
    if (p.access_until !== null && p.is_owed && p.at !== null && p.at > p.access_until)
      return [
        voice.say('look.access_owed', { title: title(p.from), date: day(p.access_until), end: day(p.at) }),
      ]
    if (p.access_until !== null) return [kept(p.access_until)]
    if (p.deed !== 'cancel') return []
    return [voice.say(p.at === null ? 'look.access_ends' : 'look.access_closed')]
  }

  const button = (): string => {
    const name = { title: title(p.to ?? p.from) }
    switch (p.deed) {
      case 'keep':
        return voice.say('look.button.keep', name)
      case 'cancel':
        if (p.next_payment === null && p.at !== null)
          return voice.say('look.button.cancel_on', { date: day(p.at) })
        return voice.say(p.paid_until === null ? 'look.button.cancel' : 'look.button.cancel_now')
      case 'pause':
        return voice.say('look.button.pause', { from: day(p.at ?? ''), until: day(p.resumes_at ?? '') })
      case 'resume':
        if (p.amount_due === null) return voice.say('look.button.resume_unknown')
        return p.amount_due === 0
          ? voice.say('look.button.resume', name)
          : voice.say('look.button.pay_and_resume', { amount: money(p.amount_due) })
      case 'change':
        if (p.at !== null) return voice.say('look.button.change_on', { ...name, date: day(p.at) })
        if (p.amount_due === null) return voice.say('look.button.change_unknown', name)
        return p.amount_due === 0
          ? voice.say('look.button.change', name)
          : voice.say('look.button.pay_and_change', { ...name, amount: money(p.amount_due) })
      default:
        throw new TypeError(`unhandled ${p.deed satisfies never}`)
    }
  }

  return { title, terms, money, when, today, next, access, button }
}
