import { featuresOf, limitNames } from '../core/access/index.ts'
import {
  isPaid,
  type ManagedIn,
  type Payment,
  type Plan,
  type Subscription,
  storeNames,
  titleOf,
} from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Storage } from '../core/storage/index.ts'
import type { AuditLog } from '../memberships/audit-log/index.ts'
import type { SentMails } from '../memberships/mails/index.ts'
import { isStopping, type User, type Users } from '../memberships/members/index.ts'
import { memberLines } from './member-statements.ts'
import { paidThrough } from './members-list.ts'
import { timelineOf } from './timeline.ts'

/** Builds the data of a member's page in the office. */
export const createMemberPage = (deps: {
  storage: Pick<Storage, 'read'>
  users: Pick<Users, 'findById'>
  auditLog: Pick<AuditLog, 'list'>
  mails: Pick<SentMails, 'of'>
  plans: () => readonly Plan[]
  /** The app store that manages a subscription; null for one that can be changed here. */
  managedIn: (subscription: Subscription) => ManagedIn | null
  office: string
  now: () => Date
}) => {
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
      payments: user.payments().map((p) => ({
        p,
        title: titleOf(p.price_id, plans()),
        left: isPaid(p) ? p.amount - p.amount_refunded : 0,
      })),
      customers: [
        ...new Set([...user.subscriptions(), ...user.payments()].map(({ provider }) => provider)),
      ].flatMap((provider) => user.customers(provider)),
      timeline: timelineOf({ user, plans: plans(), records: noted, events, messages, mails, money, office }),
    }
  }
  return { get, read }
}
export type MemberPage = ReturnType<typeof createMemberPage>

/**
 * Lists each plan once across providers, each feature, and other gates with grants: open or closed, with the reason.
 */
const gatesOf = (user: User, plans: readonly Plan[]) => {
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
const topUpsOf = async (user: User, plans: readonly Plan[], storage: Pick<Storage, 'read'>) => {
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
