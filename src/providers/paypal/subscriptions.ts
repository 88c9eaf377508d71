import type { Fetched, Payer, Provider } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { endNote, intentIn } from './notes.ts'
import { cyclesDone } from './periods.ts'
import { resumePayPal } from './resume.ts'
import { type Acting, bringTo, paidEnd, readSubscription, told } from './status-change.ts'
import { previewRevision, revise, takeBack } from './swaps.ts'

type Calls = Required<
  Pick<Provider, 'swap' | 'preview' | 'schedule' | 'unschedule' | 'cancel' | 'resume' | 'payerOf' | 'portal'>
>

/** Actions on a subscription. There is no pause: PayPal ends none by itself.
 *  https://developer.paypal.com/docs/api/subscriptions/v1/ */
export const paypalSubscriptions = (acting: Acting, isLive: boolean): Calls => ({
  // Both come with the next payment, and both are agreed to on PayPal's page.
  swap: ({ subscription, priceId, quantity }) => revise(acting, subscription.id, { priceId, quantity }),
  schedule: ({ subscription, priceId, quantity }) => revise(acting, subscription.id, { priceId, quantity }),
  unschedule: (call) => takeBack(acting, call),
  preview: (request) => previewRevision(acting, request, acting.now()),
  cancel: ({ subscriptionId, when }) => cancel(acting, subscriptionId, when),
  resume: (call) => resumePayPal(acting, call),
  payerOf: (id) => payerOf(acting, id),
  // PayPal knows who is there by itself: one page for all, where automatic payments are looked after.
  portal: async () => ({ url: `https://www.${isLive ? '' : 'sandbox.'}paypal.com/myaccount/autopay/` }),
})

/** PayPal ends it at once; until when it is paid is read before, and noted with it. */
const cancel = async (acting: Acting, id: string, when: 'period_end' | 'now'): Promise<Fetched> => {
  const current = await readSubscription(acting, id)
  // What was never agreed to takes no money, and what has ended has.
  if (current.raw.status !== 'ACTIVE' && current.raw.status !== 'SUSPENDED') return told(acting, current)
  const end = when === 'now' ? null : paidEnd(acting, current)
  return told(acting, await bringTo(acting, id, 'CANCELLED', endNote(end)))
}

/** An account at PayPal, whoever shows it. */
const payerOf = async ({ objects }: Acting, id: string): Promise<Payer | null> => {
  const answer = await objects.subscription(id)
  if (answer === null) return null
  const payer = str(obj(answer.raw.subscriber).payer_id)
  return {
    methods: payer === null ? [] : [`paypal ${payer}`],
    isOnTrial: answer.raw.status === 'ACTIVE' && !cyclesDone(answer.raw, 'REGULAR'),
    isBuyers: intentIn(answer.raw) !== null,
  }
}
