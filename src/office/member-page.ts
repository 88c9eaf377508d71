import { featuresOf, limitNames } from '../core/access/index.ts'
import {
  boughtTwice,
  isPaid,
  type ManagedIn,
  openDiscountOf,
  type Payment,
  type Plan,
  type Subscription,
  storeNames,
  titleOf,
} from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Storage } from '../core/storage/index.ts'
import type { AuditLog } from '../memberships/audit-log/index.ts'
import { comingCharge, type SentMails } from '../memberships/mails/index.ts'
import { isStopping, type User, type Users } from '../memberships/members/index.ts'
import { memberLines } from './member-statements.ts'
import { paidThrough } from './members-list.ts'
import { byDay, type MessageLine, type ReceivedLine, timelineOf } from './timeline.ts'

/** Builds the data of a member's page in the office. */
export function createMemberPage(deps: {
  storage: Pick<Storage, 'read'>
  users: Pick<Users, 'findById'>
  auditLog: Pick<AuditLog, 'list'>
  mails: Pick<SentMails, 'of'>
  plans: () => readonly Plan[]
  /** The app store that manages a subscription; null for one that can be changed here. */
  managedIn: (subscription: Subscription) => ManagedIn | null
  office: string
  now: () => Date
}) {
  const { users, auditLog, plans, office } = deps
  const lines = memberLines(deps.storage)

  /** @throws ERR_NOT_FOUND */
  const get = async (id: string): Promise<User> => {
    const user = await users.findById(id)
    if (user !== null) return user
    throw new MembershipError('ERR_NOT_FOUND', `No member ${id.slice(0, 100)}.`, {
      action: 'Look for a part of the address or the name.',
    })
  }

  const read = async (id: string, money: (payment: Payment, amount: number) => string) => {
    const user = await get(id)
    const objects = [
      ...user.subscriptions().map((subscription) => subscription.id),
      ...user.payments().flatMap((knownPayment) => [knownPayment.id, knownPayment.invoice_id ?? '']),
    ].filter((item) => item !== '')
    const [noted, events, messages, mails, accountState, freePages] = await Promise.all([
      auditLog.list({ member: id, limit: 200 }),
      lines.events(objects),
      lines.messages(id),
      deps.mails.of(id, 100),
      lines.accountState(id),
      lines.freePages(id, deps.now().toISOString()),
    ])
    return {
      user,
      accountState,
      freePages,
      gates: gatesOf(user, plans()),
      limits: limitNames(plans()).map((name) => user.limit(name as never)),
      topUps: await topUpsOf(user, plans(), deps.storage),
      subscriptions: user
        .subscriptions()
        .map((s) => ({ s, managed: s.ended ? null : deps.managedIn(s) }))
        .map(({ s, managed }) => ({
          s,
          until: paidThrough(s, deps.now()),
          next: comingCharge(s, user.payments(), plans()),
          discount: openDiscountOf(s, user.payments()),
          title: titleOf(s.price_id, plans()),
          managed: managed && { ...managed, name: managed.store === null ? null : storeNames[managed.store] },
          mayCancel: !s.ended && managed === null,
          mayResume: !s.ended && managed === null && isStopping(s),
          mayPay: (s.past_due || s.status === 'unpaid') && managed === null,
          others: plans()
            .filter((plan) => plan.provider === s.provider)
            .flatMap(({ prices }) => prices)
            .filter((price) => price.type === 'recurring' && !price.retired && price.id !== s.price_id)
            .map((price) => ({ id: price.id, title: titleOf(price.id, plans()) })),
        })),
      payments: user
        .payments()
        .map((p) => ({
          p,
          title: titleOf(p.price_id, plans()),
          left: isPaid(p) ? p.amount - p.amount_refunded : 0,
        }))
        .sort((a, b) => (momentOf(a.p) < momentOf(b.p) ? 1 : -1)),
      paid: paidBy(user),
      wrong: wrongWith(user, { plans: plans(), money, events, messages, office }),
      customers: [
        ...new Set([...user.subscriptions(), ...user.payments()].map(({ provider }) => provider)),
      ].flatMap((provider) => user.customers(provider)),
      timeline: byDay(
        timelineOf({ user, plans: plans(), records: noted, events, messages, mails, money, office }),
      ),
    }
  }
  return { get, read }
}
export type MemberPage = ReturnType<typeof createMemberPage>

function momentOf({ paid_at, updated_at }: Payment): string {
  return paid_at ?? updated_at
}

/** A sum in the minor units of a provider. */
interface PaidSum {
  readonly provider: string
  readonly currency: string
  readonly amount: number
  readonly refunded: number
}

/** Adds up what a member paid and got back, by currency. */
function paidBy(user: User) {
  const paid = user.payments().filter((p) => p.paid_at !== null && p.currency !== null)
  const sums = new Map<string, PaidSum>()
  for (const { provider, currency, amount, amount_refunded } of paid) {
    if (currency === null) continue
    const known = sums.get(`${provider} ${currency}`) ?? { provider, currency, amount: 0, refunded: 0 }
    sums.set(`${provider} ${currency}`, {
      provider,
      currency,
      amount: known.amount + amount,
      refunded: known.refunded + amount_refunded,
    })
  }
  const [last = null] = [...paid].sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
  return { count: paid.length, sums: [...sums.values()], last }
}

/** A task about the member: its text, its day, and the page on which it is mended. */
interface Wrong {
  readonly key: 'overdue' | 'disputed' | 'refund_failed' | 'twice' | 'event' | 'message'
  readonly fill: Readonly<Record<string, string | number>>
  readonly at: string | null
  readonly href: string | null
}

/** Lists what is wrong with a member: money that is missing or disputed, and events that were not applied. */
function wrongWith(
  user: User,
  known: {
    readonly plans: readonly Plan[]
    readonly money: (payment: Payment, amount: number) => string
    readonly events: readonly ReceivedLine[]
    readonly messages: readonly MessageLine[]
    readonly office: string
  },
): Wrong[] {
  const { plans, money, events, messages, office } = known
  const stuck = events.filter(({ status }) => status === 'failed' || status === 'dead' || status === 'held')
  const dead = messages.filter(({ status }) => status === 'dead')
  const [twice] = boughtTwice(user.subscriptions(), plans)
  return [
    ...user
      .subscriptions()
      .filter((s) => s.past_due || s.status === 'unpaid')
      .map(
        (s): Wrong => ({
          key: 'overdue',
          fill: { title: titleOf(s.price_id, plans) },
          at: s.past_due_since,
          href: null,
        }),
      ),
    ...user.payments().flatMap((p): Wrong[] => {
      const fill = { title: titleOf(p.price_id, plans), amount: money(p, p.amount) }
      if (p.status === 'disputed') return [{ key: 'disputed', fill, at: p.updated_at, href: null }]
      return p.refund_failed
        ? [{ key: 'refund_failed', fill, at: p.updated_at, href: `${office}/deadlines` }]
        : []
    }),
    ...(twice === undefined
      ? []
      : [{ key: 'twice' as const, fill: { title: titleOf(twice.price_id, plans) }, at: null, href: null }]),
    ...stuck.map(
      ({ seq, type, received_at: at }): Wrong => ({
        key: 'event',
        fill: { type },
        at,
        href: `${office}/deliveries/${seq}`,
      }),
    ),
    ...dead.map(
      ({ kind, created_at: at }): Wrong => ({
        key: 'message',
        fill: { kind },
        at,
        href: `${office}/messages`,
      }),
    ),
  ]
}

/**
 * Lists each plan once across providers, each feature, and other gates with grants: open or closed, with the reason.
 */
function gatesOf(user: User, plans: readonly Plan[]) {
  const named = new Map(plans.map(({ id, name }) => [id, name]))
  for (const feature of featuresOf(plans)) if (!named.has(feature)) named.set(feature, feature)
  for (const { gate } of user.grants()) if (!named.has(gate)) named.set(gate, titleOf(gate, plans))
  return [...named].map(([gate, name]) => ({
    name,
    ...user.explain(gate as never),
    closed: user.whyClosed(gate as never),
    days: user.paidTime(gate as never).days,
  }))
}

/** The top-ups and credits of a member, and how much of each is used: also after a refund. */
async function topUpsOf(user: User, plans: readonly Plan[], storage: Pick<Storage, 'read'>) {
  if (limitNames(plans).length === 0) return []
  const rows = await storage.read((db) =>
    db
      .selectFrom('limit_usage')
      .select(['name', 'bucket', 'used', 'amount'])
      .where('member_id', '=', user.id)
      .where('bucket', 'like', '%:%'),
  )
  return rows.map((row) => ({
    ...row,
    status:
      user.payments().find(({ id, provider }) => row.bucket === `topup:${provider}:${id}`)?.status ?? null,
  }))
}
