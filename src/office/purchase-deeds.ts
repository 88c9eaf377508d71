import { type Payment, type Subscription, titleOf } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Actions } from '../memberships/checkout/index.ts'
import type { User } from '../memberships/members/index.ts'
import { notThere, subscriptionOf } from './deed-subjects.ts'
import type { DeedRooms, PlanDeed, Planned } from './member-deeds.ts'
import { minorOf } from './money-input.ts'

/** Actions on memberships and their money, at the provider. */
export const purchaseDeeds = (rooms: Pick<DeedRooms, 'actions' | 'plans' | 'digits'>) => {
  const { actions } = rooms

  const cancel: PlanDeed = ({ user, said, day }) => {
    const { s, title } = subscriptionOf(user, said, rooms.plans())
    const when = said('when') === 'now' ? 'now' : 'period_end'
    const end = s.current_period_end === null ? '' : day(s.current_period_end)
    return {
      ...cancelling(user, { subscription: s, when }),
      fields: { subscription: s.id, when },
      says: [{ key: `do.cancel.${when}`, fill: { title, day: end } }],
    }
  }

  const cancelling = (user: User, { subscription: s, when }: Cancelling): Planned => ({
    action: 'cancel',
    memberId: user.id,
    subject: s.id,
    before: standing(s),
    fields: {},
    says: [],
    run: () => actions.cancel({ user, subscriptionId: s.id, when }),
    after: afterDone,
  })

  const resume: PlanDeed = ({ user, said }) => {
    const { s, title } = subscriptionOf(user, said, rooms.plans())
    return {
      action: 'resume',
      memberId: user.id,
      subject: s.id,
      before: standing(s),
      fields: { subscription: s.id },
      says: [{ key: 'do.resume.says', fill: { title } }],
      run: () => actions.resume({ user, subscriptionId: s.id }),
      after: afterDone,
    }
  }

  const change: PlanDeed = ({ user, said }) => {
    const { s, title } = subscriptionOf(user, said, rooms.plans())
    const price = said('price')
    const plan = rooms
      .plans()
      .find(
        (knownPlan) => knownPlan.provider === s.provider && knownPlan.prices.some(({ id }) => id === price),
      )
    if (!plan || price === null) throw notThere('price', price)
    return {
      action: 'change',
      memberId: user.id,
      subject: s.id,
      before: { price: s.price_id, quantity: s.quantity },
      fields: { subscription: s.id, price },
      says: [{ key: 'do.change.says', fill: { title, to: titleOf(price, rooms.plans()) } }],
      run: () =>
        actions.change({
          ...{ user, subscriptionId: s.id, plan: null, price, quantity: null },
          ...{ proration: null, prorationAt: null },
        }),
      after: (done) => {
        const { subscription } = done as Awaited<ReturnType<Actions['change']>>
        return { price: subscription.price_id, quantity: subscription.quantity }
      },
    }
  }

  const refund: PlanDeed = ({ user, said, money }) => {
    const id = said('payment')
    const payment = user.payments().find((knownPayment) => knownPayment.id === id)
    if (!payment || payment.currency === null) throw notThere('payment', id)
    const { currency, provider } = payment
    const left = payment.amount - payment.amount_refunded
    const typed = said('amount')
    const amount = typed === null ? left : minorOf(typed, rooms.digits(provider, currency))
    const also = cancelsToo(user, payment, said('cancel'))
    return {
      action: 'refund',
      memberId: user.id,
      subject: payment.id,
      before: moneyOf(payment),
      fields: { payment: payment.id, amount: typed ?? '', cancel: also?.when ?? '' },
      says: [
        {
          key: 'do.refund.says',
          fill: { amount: money(amount, currency, provider), of: money(payment.amount, currency, provider) },
        },
        ...(also === null ? [{ key: 'do.refund.alone' }] : [{ key: `do.refund.${also.when}` }]),
      ],
      run: () => actions.refund({ payment, amount }),
      after: (refunded) => moneyOf(refunded as Payment),
      next: also === null ? null : cancelling(user, also),
    }
  }

  const payLink: PlanDeed = ({ user, said }) => {
    const { s, title } = subscriptionOf(user, said, rooms.plans())
    if (!s.past_due && s.status !== 'unpaid') throw refusedLink()
    return {
      action: 'pay-link',
      memberId: user.id,
      subject: s.id,
      fields: { subscription: s.id },
      says: [{ key: 'do.pay-link.says', fill: { title } }],
      run: () => actions.renew({ user, subscriptionId: s.id }),
      shown: (result) => ({
        key: 'do.pay-link.shown',
        link: 'payUrl' in (result as object) ? (result as { payUrl: string }).payUrl : undefined,
      }),
    }
  }

  return { cancel, resume, change, refund, 'pay-link': payLink }
}

interface Cancelling {
  readonly subscription: Subscription
  readonly when: 'now' | 'period_end'
}

const cancelsToo = (user: User, { subscription_id }: Payment, when: string | null): Cancelling | null => {
  const living = user.subscriptions().find((s) => s.id === subscription_id && !s.ended)
  return living && (when === 'now' || when === 'period_end') ? { subscription: living, when } : null
}

const standing = (s: Pick<Subscription, 'status' | 'cancel_at_period_end' | 'ended_at'>) => ({
  status: s.status,
  cancel_at_period_end: s.cancel_at_period_end,
  ended_at: s.ended_at,
})

const afterDone = (done: unknown) => standing((done as Awaited<ReturnType<Actions['cancel']>>).subscription)

const moneyOf = ({ status, amount, amount_refunded, currency }: Payment) => ({
  status,
  amount,
  amount_refunded,
  currency,
})

const refusedLink = (): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', 'Nothing of this membership is unpaid.', {
    action: 'A link for paying is there while a payment has failed.',
  })
