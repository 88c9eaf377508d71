import type { Price } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { declined } from '../api-errors.ts'
import type { Changed, Fetched, Payer, Provider } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { mayBeDone } from '../once.ts'
import { address, type RestAnswer } from '../rest.ts'
import { issueOf, keyed, type PayPalApi } from './api.ts'
import { moneyOf } from './facts.ts'
import { soldBy } from './held.ts'
import { endNote, intentIn, nextBilling } from './notes.ts'
import { cyclesDone, isFailing, paidBeyond } from './periods.ts'
import { found, type PayPalObjects } from './read-objects.ts'
import { previewRevision, revise, takeBack } from './swaps.ts'

type Calls = Required<
  Pick<Provider, 'swap' | 'preview' | 'schedule' | 'unschedule' | 'cancel' | 'resume' | 'payerOf' | 'portal'>
>

interface Deps {
  readonly api: PayPalApi
  readonly objects: PayPalObjects
  readonly priceOf: (id: string) => Price | undefined
  readonly now: () => Date
  readonly isLive: boolean
}

/** What can be done to a subscription. A pause is not among it: PayPal ends none by itself.
 *  https://developer.paypal.com/docs/api/subscriptions/v1/ */
export const paypalSubscriptions = (deps: Deps): Calls => {
  const { api, objects, now } = deps
  const read = (id: string): Promise<RestAnswer> => found(objects.subscription(id), id)
  const told = (answer: RestAnswer): Fetched => objects.changes('subscription', answer)
  const post = (id: string, does: 'cancel' | 'activate', reason: string): Promise<unknown> =>
    api.ask(`${does} of ${id}`, {
      method: 'POST',
      path: address`/v1/billing/subscriptions/${id}/${does}`,
      body: { reason },
    })

  /** Neither takes a key: after silence, and after a no, the subscription says whether it was done. */
  const until = async (id: string, status: string, act: () => Promise<unknown>): Promise<RestAnswer> => {
    try {
      await act()
      return await read(id)
    } catch (error) {
      if (!mayBeDone(error) && issueOf(error) !== 'SUBSCRIPTION_STATUS_INVALID') throw error
      const current = await read(id)
      if (current.raw.status === status) return current
      throw error
    }
  }

  /** What is owed, by the subscription's own way to pay. @throws ERR_PAYMENT_DECLINED */
  const collect = async (id: string, raw: Json, key: string): Promise<void> => {
    const owed = obj(obj(raw.billing_info).outstanding_balance)
    if (!moneyOf(owed).amount) return
    try {
      await api.ask(`what is owed for ${id}`, {
        method: 'POST',
        path: address`/v1/billing/subscriptions/${id}/capture`,
        body: { note: 'Paid by the subscriber', capture_type: 'OUTSTANDING_BALANCE', amount: owed },
        ...keyed(`${key}:collect`),
      })
    } catch (error) {
      if (/DECLINED|REFUSED|SUBSCRIBER_ACCOUNT/.test(issueOf(error) ?? '')) throw declined(error)
      if (issueOf(error) !== 'ZERO_OUTSTANDING_BALANCE') throw error
    }
  }

  return {
    // Both come with the next payment, and both are agreed to on PayPal's page.
    swap: ({ subscription, priceId, quantity }) => revise(deps, subscription.id, { priceId, quantity }),
    schedule: ({ subscription, priceId, quantity }) => revise(deps, subscription.id, { priceId, quantity }),
    unschedule: (call) => takeBack(deps, call),
    preview: (request) => previewRevision(deps, request, now()),

    cancel: async ({ subscriptionId: id, when }) => {
      const current = await read(id)
      // What was never agreed to takes no money, and what has ended has.
      if (current.raw.status !== 'ACTIVE' && current.raw.status !== 'SUSPENDED') return told(current)
      const end = when === 'now' ? null : paidEnd(deps, current)
      return told(await until(id, 'CANCELLED', () => post(id, 'cancel', endNote(end))))
    },

    resume: async ({ subscriptionId: id, idempotencyKey }): Promise<Changed> => {
      const current = await read(id)
      const { status } = current.raw
      if (status === 'ACTIVE') return told(current)
      if (status !== 'SUSPENDED')
        throw refused(
          'PayPal has ended this membership, and takes no end back.',
          'Buy it again when it has ended.',
        )
      if (isFailing(current.raw)) await collect(id, current.raw, idempotencyKey)
      else if (paidEnd(deps, current) === null)
        throw refused('What was paid is used up, and PayPal begins no new period now.', 'Write to the site.')
      return told(await until(id, 'ACTIVE', () => post(id, 'activate', 'Resumed by the subscriber')))
    },

    // Of an account at PayPal, whoever shows it.
    payerOf: async (id): Promise<Payer | null> => {
      const answer = await objects.subscription(id)
      if (answer === null) return null
      const payer = str(obj(answer.raw.subscriber).payer_id)
      return {
        methods: payer === null ? [] : [`paypal ${payer}`],
        isOnTrial: answer.raw.status === 'ACTIVE' && !cyclesDone(answer.raw, 'REGULAR'),
        isBuyers: intentIn(answer.raw) !== null,
      }
    },

    // PayPal knows who is there by itself: one page for all, where automatic payments are looked after.
    portal: async () => ({
      url: `https://www.${deps.isLive ? '' : 'sandbox.'}paypal.com/myaccount/autopay/`,
    }),
  }
}

/** Until when it is paid, as long as it is not ended; null where nothing is paid beyond now. */
const paidEnd = ({ now, priceOf }: Deps, { raw }: RestAnswer): string | null => {
  const at = now().toISOString()
  const later = nextBilling(raw)
  if (isFailing(raw)) return null
  return later !== null && later > at ? later : paidBeyond(raw, soldBy(raw, priceOf).cost, at)
}

const refused = (message: string, action: string): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', message, { action })
