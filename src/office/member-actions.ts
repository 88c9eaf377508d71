import { isKnownGate, type Limit, limitNames } from '../core/access/index.ts'
import { addInterval, type Payment, type Plan, type Subscription, titleOf } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Actions } from '../memberships/checkout/index.ts'
import type { User } from '../memberships/members/index.ts'
import type { Compare } from '../memberships/sync/index.ts'
import { notThere, subscriptionOf } from './action-subjects.ts'
import type { ActionServices, PlanAction, Planned } from './planned-action.ts'

/** Gives and revokes access. */
export function accessActions({ users, plans, now }: Pick<ActionServices, 'users' | 'plans' | 'now'>) {
  const grant: PlanAction = ({ user, field, day }) => {
    const gate = gateOf(field('gate'), plans())
    const until = untilOf(monthsOn(field('months'), now()) ?? field('until'), now())
    const reason = field('reason')
    return {
      action: 'grant',
      memberId: user.id,
      subject: gate,
      fields: { gate, until: until?.toISOString().slice(0, 10) ?? '', reason: reason ?? '' },
      says: [
        {
          key: until === null ? 'do.grant.forever' : 'do.grant.until',
          fill: { gate, day: until ? day(until.toISOString()) : '' },
        },
      ],
      run: () =>
        users.grant({
          memberId: user.id,
          gate,
          reason: reason ?? undefined,
          ...(until === null ? {} : { expiresAt: until }),
        }),
      after: (made) => ({ grant: made, gate, until: until?.toISOString() ?? null, reason }),
    }
  }

  const revoke: PlanAction = ({ user, field }) => {
    const id = field('grant')
    const found = user.grants().find((knownGrant) => knownGrant.id === id)
    if (!found) throw notThere('access given by hand', id)
    const { gate, expires_at: until } = found
    return {
      action: 'revoke',
      memberId: user.id,
      subject: found.id,
      before: { gate, until },
      fields: { grant: found.id },
      says: [{ key: 'do.revoke.says', fill: { gate } }],
      run: () => users.revoke(found.id),
    }
  }

  return { grant, revoke }
}

function gateOf(given: string | null, plans: readonly Plan[]): string {
  if (given !== null && isKnownGate(given, plans)) return given
  throw notThere('plan', given)
}

/** The same day so many months later; null unless a number of months was chosen. */
function monthsOn(given: string | null, now: Date): string | null {
  if (given === null || !/^(1|3|12)$/.test(given)) return null
  return addInterval(now.toISOString(), { interval: 'month', interval_count: Number(given) }).slice(0, 10)
}

/**
 * The end of the given day in UTC; null for no end.
 * @throws ERR_FORM
 */
function untilOf(given: string | null, now: Date): Date | null {
  if (given === null) return null
  const end = /^\d{4}-\d{2}-\d{2}$/.test(given) ? new Date(`${given}T23:59:59.000Z`) : null
  if (end !== null && end > now && !Number.isNaN(end.getTime())) return end
  throw new MembershipError('ERR_FORM', 'Access ends on a day to come.', {
    action: 'Write it as 2027-01-31, or leave it empty for access without an end.',
  })
}

/** Actions on accounts. */
export function accountActions(services: Omit<ActionServices, 'actions' | 'digits' | 'operators'>) {
  const { users } = services

  const loginLink: PlanAction = ({ user, day }) => ({
    action: 'login-link',
    memberId: user.id,
    fields: {},
    says: [{ key: 'do.login-link.says', fill: { who: nameOf(user) } }],
    run: () => services.loginLink(user.id),
    // The link itself is secret and belongs to the member, so the log keeps only its expiry.
    after: (link) => ({ expires_at: (link as { expiresAt: string }).expiresAt }),
    shown: (result) => {
      const { url, expiresAt } = result as { url: string; expiresAt: string }
      return { key: 'do.login-link.shown', fill: { day: day(expiresAt) }, link: url }
    },
  })

  const compare: PlanAction = ({ user }) => ({
    action: 'compare',
    memberId: user.id,
    fields: {},
    says: [{ key: 'do.compare.says', fill: { who: nameOf(user) } }],
    run: () => services.compare({ memberId: user.id, write: true, patienceMs: 5000 }),
    after: (result) => {
      const { checked, mended } = result as Awaited<ReturnType<Compare>>
      return { checked, mended }
    },
    shown: (result) => {
      const { checked, mended, differences } = result as Awaited<ReturnType<Compare>>
      const key = differences.length === 0 ? 'do.compare.same' : 'do.compare.mended'
      return { key, fill: { checked, mended, count: differences.length } }
    },
  })

  const merge: PlanAction = async ({ user, field, by }) => {
    const given = field('other') ?? ''
    const other = await (given.includes('@') ? users.findByEmail(given) : users.findById(given))
    if (other === null) throw notThere('member', given)
    const query = { keep: user.id, merge: other.id, by }
    const { moves, notes } = await services.merging.merge(query)
    return {
      action: 'merge',
      memberId: user.id,
      subject: other.id,
      alsoConcerns: [other],
      fields: { other: other.id },
      says: [
        {
          key: 'do.merge.says',
          fill: {
            other: nameOf(other),
            who: nameOf(user),
            subscriptions: moves.subscriptions,
            payments: moves.payments,
          },
        },
        ...notes.map(({ text }) => ({ key: 'do.merge.note', fill: { text } })),
        { key: 'do.merge.back' },
      ],
      run: () => services.merging.merge({ ...query, write: true }),
      after: (merged) => ({ until: (merged as { until: string | null }).until }),
    }
  }

  const remove: PlanAction = ({ user, field, isConfirmed }) => {
    if (isConfirmed && field('confirm') !== (user.email ?? user.id))
      throw new MembershipError('ERR_FORM', 'Write the address of the account to delete it.')
    return {
      action: 'delete',
      memberId: user.id,
      fields: {},
      says: [{ key: 'do.delete.says', fill: { who: nameOf(user) } }],
      run: () => services.deletions.request(user.id),
      after: (deletion) => ({ step: (deletion as { step: string }).step }),
    }
  }

  const note: PlanAction = ({ user, field }) => {
    const text = field('text')
    if (text === null) throw new MembershipError('ERR_FORM', 'An empty note says nothing.')
    return {
      action: 'note',
      memberId: user.id,
      fields: { text },
      says: [{ key: 'do.note.says', fill: { text } }],
      run: async () => text,
      after: (written) => ({ text: written }),
    }
  }

  return { 'login-link': loginLink, compare, merge, delete: remove, note }
}

function nameOf(user: User): string {
  return user.name ?? user.email ?? user.id
}

/**
 * Reads "12,50" or "12.50" as minor units of a currency with this many digits.
 * @throws ERR_FORM for anything ambiguous: a group of thousands could be either
 */
export function minorOf(typed: string, digits: number): number {
  const [, whole, part = ''] = /^(\d{1,12})(?:[.,](\d{1,4}))?$/.exec(typed.trim()) ?? []
  if (whole === undefined || part.length > digits || (part.length === 3 && digits === 3 && whole.length > 12))
    throw new MembershipError('ERR_FORM', `"${typed.slice(0, 40)}" is no amount.`, {
      action: 'Write it without thousands’ separators, such as 12.50; leave it empty for all that is left.',
    })
  return Number(whole + part.padEnd(digits, '0'))
}

/** Actions on memberships and payments at the provider. */
export function purchaseActions(services: Pick<ActionServices, 'actions' | 'plans' | 'digits'>) {
  const { actions } = services

  const cancel: PlanAction = ({ user, field, day }) => {
    const { s, title } = subscriptionOf(user, field, services.plans())
    const when = field('when') === 'now' ? 'now' : 'period_end'
    const end = s.current_period_end === null ? '' : day(s.current_period_end)
    return {
      ...cancelling(user, { subscription: s, when }),
      fields: { subscription: s.id, when },
      says: [{ key: `do.cancel.${when}`, fill: { title, day: end } }],
      button: { key: `button.cancel_${when}` },
    }
  }

  const cancelling = (user: User, { subscription: s, when }: Cancelling): Planned => ({
    action: 'cancel',
    memberId: user.id,
    subject: s.id,
    before: subscriptionState(s),
    fields: {},
    says: [],
    run: () => actions.cancel({ user, subscriptionId: s.id, when }),
    after: afterDone,
  })

  const resume: PlanAction = ({ user, field }) => {
    const { s, title } = subscriptionOf(user, field, services.plans())
    return {
      action: 'resume',
      memberId: user.id,
      subject: s.id,
      before: subscriptionState(s),
      fields: { subscription: s.id },
      says: [{ key: 'do.resume.says', fill: { title } }],
      run: () => actions.resume({ user, subscriptionId: s.id }),
      after: afterDone,
    }
  }

  const change: PlanAction = ({ user, field }) => {
    const { s, title } = subscriptionOf(user, field, services.plans())
    const price = field('price')
    const plan = services
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
      says: [{ key: 'do.change.says', fill: { title, to: titleOf(price, services.plans()) } }],
      run: () =>
        actions.change({
          user,
          subscriptionId: s.id,
          plan: null,
          price,
          quantity: null,
          proration: null,
          prorationAt: null,
        }),
      after: (done) => {
        const { subscription } = done as Awaited<ReturnType<Actions['change']>>
        return { price: subscription.price_id, quantity: subscription.quantity }
      },
    }
  }

  const refund: PlanAction = ({ user, field, money }) => {
    const id = field('payment')
    const payment = user.payments().find((knownPayment) => knownPayment.id === id)
    if (!payment || payment.currency === null) throw notThere('payment', id)
    const { currency, provider } = payment
    const left = payment.amount - payment.amount_refunded
    const typed = field('amount')
    const amount = typed === null ? left : minorOf(typed, services.digits(provider, currency))
    const also = cancelsToo(user, payment, field('cancel'))
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
      button: {
        key: also === null ? 'button.refund' : `button.refund_${also.when}`,
        fill: { amount: money(amount, currency, provider) },
      },
      run: (key) => actions.refund({ payment, amount, key: `form:${key}` }),
      after: (refunded) => moneyOf(refunded as Payment),
      next: also === null ? null : cancelling(user, also),
    }
  }

  const payLink: PlanAction = ({ user, field }) => {
    const { s, title } = subscriptionOf(user, field, services.plans())
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

function cancelsToo(user: User, { subscription_id }: Payment, when: string | null): Cancelling | null {
  const living = user.subscriptions().find((s) => s.id === subscription_id && !s.ended)
  return living && (when === 'now' || when === 'period_end') ? { subscription: living, when } : null
}

function subscriptionState(s: Pick<Subscription, 'status' | 'cancel_at_period_end' | 'ended_at'>) {
  return {
    status: s.status,
    cancel_at_period_end: s.cancel_at_period_end,
    ended_at: s.ended_at,
  }
}

function afterDone(done: unknown) {
  return subscriptionState((done as Awaited<ReturnType<Actions['cancel']>>).subscription)
}

function moneyOf({ status, amount, amount_refunded, currency }: Payment) {
  return {
    status,
    amount,
    amount_refunded,
    currency,
  }
}

function refusedLink(): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', 'Nothing of this membership is unpaid.', {
    reason: 'nothing_unpaid',
    action: 'A link for paying is there while a payment has failed.',
  })
}

/** A counted allowance, corrected by hand. */
function limitActions({ limits, plans }: Pick<ActionServices, 'limits' | 'plans'>) {
  const limit: PlanAction = ({ user, field, by }) => {
    const name = field('limit')
    const amount = Number(field('amount'))
    const reason = field('reason')
    if (name === null || !limitNames(plans()).includes(name)) throw notThere('limit', name)
    if (!Number.isSafeInteger(amount) || amount === 0)
      throw new MembershipError('ERR_FORM', 'Give a whole number: 10 adds, -10 takes.')
    if (reason === null) throw new MembershipError('ERR_FORM', 'A correction needs a reason.')
    return {
      action: 'limit',
      memberId: user.id,
      subject: name,
      before: user.limit(name as never),
      fields: { limit: name, amount: String(amount), reason },
      says: [
        {
          key: amount > 0 ? 'do.limit.add' : 'do.limit.take',
          fill: { name, count: Math.abs(amount), left: user.limit(name as never).left },
        },
      ],
      run: () => limits.correct({ memberId: user.id, name, amount, reason, by }),
      after: (result) => ({ ...(result as Limit), reason }),
    }
  }
  return { limit }
}

/** Actions that let somebody into an account, give it another address, or end it. */
const ofIdentity: readonly string[] = ['login-link', 'merge', 'delete']

/** All actions on a member, by the last part of their address. */
export function memberActions(services: ActionServices): ReadonlyMap<string, PlanAction> {
  return new Map(
    Object.entries({
      ...accessActions(services),
      ...purchaseActions(services),
      ...accountActions(services),
      ...limitActions(services),
    }).map(([name, plan]) => [name, ofIdentity.includes(name) ? unlessOfOffice(services, plan) : plan]),
  )
}

/**
 * Refuses the account of a person of the office, and one merged with it: whoever enters as them has their rank, before
 * their second factor is set up even without a code.
 */
function unlessOfOffice(
  { operators, users }: Pick<ActionServices, 'operators' | 'users'>,
  plan: PlanAction,
): PlanAction {
  return async (visit) => {
    const planned = await plan(visit)
    const concerned = [visit.user, ...(planned.alsoConcerns ?? [])].flatMap(({ email }) => email ?? [])
    // A link to a merged account logs in the kept one.
    const entered = await Promise.all(concerned.map((email) => users.findByEmail(email)))
    for (const email of [...concerned, ...entered.flatMap((user) => user?.email ?? [])])
      if ((await operators.find(email)) !== null)
        throw new MembershipError('ERR_ACTION_REFUSED', `${email} is a person of the office.`, {
          reason: 'of_office',
          action: 'They do it themselves, or somebody with the command line does: membership members --help.',
        })
    return planned
  }
}
