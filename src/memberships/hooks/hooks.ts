import type { Limit } from '../../core/access/index.ts'
import { type SubscriptionData, toSubscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import type { PageUsers, User } from '../members/index.ts'
import type { DomainEvent } from './difference.ts'
import {
  type AfterEvents,
  afterHookNames,
  type BeforeEvents,
  type Hooks,
  hooksByName,
  type Refusal,
} from './hook-events.ts'
import type { Consumer, GoneAccount, MemberChanges } from './notifier.ts'
import { upcomingOf } from './reminders.ts'

type AfterName = keyof AfterEvents

export interface HooksService {
  /**
   * Asks every before-hook in the given order.
   * @throws ERR_REFUSED with the reason of the first hook that refuses
   */
  before<N extends keyof BeforeEvents>(name: N, event: BeforeEvents[N]): Promise<void>
  /** True if the site has a before-hook of this name. */
  asks(name: keyof BeforeEvents): boolean
  readonly consumer: Consumer
  readonly handlers: Handlers
  readonly tells: boolean
  /** The message of a limit for the hooks that a site has; none where no hook has that name. */
  limitMessages(notice: LimitNotice): readonly Message[]
  readonly tellsOfLimits: boolean
}

/** Runs a site's hooks: before-hooks at once, after-hooks through the outbox. */
export function createHooks(hooks: Hooks, users: Pick<PageUsers, 'findExisting' | 'departed'>): HooksService {
  const of = hooksByName(hooks)
  const before = async <N extends keyof BeforeEvents>(name: N, event: BeforeEvents[N]): Promise<void> => {
    for (const hook of of.before(name)) {
      const answer = await hook(event)
      if (isRefusal(answer)) throw new MembershipError('ERR_REFUSED', answer.refuse)
    }
  }

  const asks = (name: keyof BeforeEvents): boolean => of.before(name).length > 0

  /** Builds the messages for the after-hooks that the site has. */
  const consumer: Consumer = (changes) =>
    notifiedOf(changes)
      .filter(({ name }) => of.after(name).length > 0)
      .map(({ name, ...data }, n) => toMessage(changes, n, { name, data }))

  /** Delivers one message to its hooks. When one throws, all of them are called again. */
  const deliver: Handlers[string] = async ({ id, at, payload, signal }) => {
    const { name, ...message } = payload as HookMessage
    const current = await currentOf({ name, ...message }, users)
    if (current === null) return
    const event = { ...current.data, ...withRules(current.data), id, at, member: current.member, signal }
    for (const hook of of.after(name)) await hook(event)
  }
  const handlers: Handlers = { [kind]: deliver, [goneKind(kind)]: deliver }

  const tells = afterHookNames.some((name) => of.after(name).length > 0)
  const limitMessages = (notice: LimitNotice): readonly Message[] =>
    of.after(notice.hook).length === 0
      ? []
      : [
          {
            id: `${kind}:${notice.id}`,
            lane: `${kind}:${notice.memberId}`,
            kind,
            payload: limitEvent(notice),
          },
        ]
  const tellsOfLimits = of.after('limit.near').length + of.after('limit.reached').length > 0
  return { before, asks, consumer, handlers, tells, limitMessages, tellsOfLimits }
}

/** A limit that is nearly used, or wholly. */
export interface LimitNotice {
  readonly hook: 'limit.near' | 'limit.reached'
  readonly memberId: string
  readonly limit: Limit
  readonly id: string
}

/** The notice as an event. */
export function limitEvent({ hook, memberId, limit }: LimitNotice): HookMessage {
  return { name: hook, member_id: memberId, data: { limit } }
}

/** The member of a message and its data, as they hold now; null where nobody or nothing is left to notify. */
export async function currentOf(
  message: HookMessage,
  users: Pick<PageUsers, 'findExisting' | 'departed'>,
): Promise<{ readonly member: User; readonly data: HookMessage['data'] } | null> {
  const { member_id: id, data, gone } = message
  if (gone !== undefined) return { member: users.departed({ ...gone, id }), data }
  // After a merge this is the account that was kept.
  const member = await users.findExisting(id)
  const current = member === null ? null : currentData(message, member)
  return member === null || current === null ? null : { member, data: current }
}

function currentData({ name, member_id, data }: HookMessage, member: User): HookMessage['data'] | null {
  if (isOver(name, data, member)) return null
  if (name !== 'access.changed' || member.id === member_id) return data
  // The accounts were merged since. What moved to the kept account was closed for the other one alone.
  const { opened, closed } = data as { opened: readonly string[]; closed: readonly string[] }
  const held = opened.filter((gate) => member.hasGate(gate))
  const lost = closed.filter((gate) => !member.hasGate(gate))
  return held.length + lost.length > 0 ? { ...data, opened: held, closed: lost } : null
}

/** True for a charge that will no longer come: cancelled, paused, moved or already made since it was noticed. */
function isOver(name: AfterName, data: HookMessage['data'], member: User): boolean {
  if (name !== 'trial.ending' && name !== 'renewal.upcoming') return false
  const { id, provider, account } = data.subscription as SubscriptionData
  const current = member
    .subscriptions()
    .find((s) => s.id === id && s.provider === provider && s.account === account)
  const next = current && upcomingOf(current, { trialDays: 0.001, renewalDays: 0.001 })
  return next?.at !== data.charged_at
}

const kind = 'hook'

/** An event as the outbox keeps it, for hooks and for receivers. */
export interface HookMessage {
  readonly name: AfterName
  readonly member_id: string
  readonly data: Record<string, unknown>
  /** The account of the member, if it is gone by now. */
  readonly gone?: GoneAccount
}

/** The kind of a message about an account that is gone. A process of 2.0.0-rc.1 would drop it, and so does not take it. */
export function goneKind(usual: string): string {
  return `${usual}:gone`
}

/** The beginning of every lane with the last messages about an account that is gone. */
export function goneLane(memberId: string): string {
  return `gone:${memberId}:`
}

function toMessage(
  { member, id, gone }: MemberChanges,
  n: number,
  { name, data }: { name: AfterName; data: Record<string, unknown> },
): Message {
  return {
    id: `${kind}:${id}:${n}`,
    lane: gone === undefined ? `${kind}:${member.id}` : `${goneLane(member.id)}${kind}`,
    kind: gone === undefined ? kind : goneKind(kind),
    payload: { name, member_id: member.id, data, gone } satisfies HookMessage,
  }
}

/** The events of a member's changes, by the names that hooks have. */
export function notifiedOf({
  domainEvents,
  isNew,
  signedUp,
  gone,
}: MemberChanges): ({ name: AfterName } & Record<string, unknown>)[] {
  return [
    ...(isNew ? [{ name: 'member.created' as const }] : []),
    ...(isNew && signedUp ? [{ name: 'member.signed_up' as const }] : []),
    ...domainEvents.flatMap(toHook),
    ...(gone?.isDeleted ? [{ name: 'member.deleted' as const }] : []),
  ]
}

function toHook(item: DomainEvent): ({ name: AfterName } & Record<string, unknown>)[] {
  switch (item.name) {
    case 'access': {
      const { name: _, ...rest } = item
      return [{ name: 'access.changed', ...rest }]
    }
    case 'payment':
      return [{ name: 'payment.received', payment: item.payment }]
    case 'subscribe':
      return [{ name: 'subscription.started', subscription: item.subscription }]
    case 'change':
      return [{ name: 'subscription.changed', subscription: item.subscription, before: item.before }]
    case 'pause':
      return [{ name: 'subscription.paused', subscription: item.subscription }]
    case 'renew':
      return [{ name: 'subscription.renewed', subscription: item.subscription, reason: item.reason }]
    case 'cancel':
      return [{ name: 'subscription.canceled', subscription: item.subscription }]
    case 'failed':
      return [{ name: 'payment.failed', subscription: item.subscription }]
    case 'ahead': {
      const name = item.upcoming.what === 'trial' ? 'trial.ending' : 'renewal.upcoming'
      return [{ name, subscription: item.subscription, charged_at: item.upcoming.at }]
    }
    case 'refunded':
      return [{ name: 'payment.refunded', payment: item.payment }]
    // Only a mail follows. For a card, a hook follows the renewal when it fails.
    case 'card':
    case 'closing':
    case 'year':
    // The full refund is notified by its own event.
    case 'given_back':
    case 'kept_back':
      return []
    default:
      throw new TypeError(`unhandled ${item satisfies never}`)
  }
}

// A subscription loses its methods on the way through the outbox.
function withRules({ subscription }: Record<string, unknown>): Record<string, unknown> {
  return subscription === undefined ? {} : { subscription: toSubscription(subscription as SubscriptionData) }
}

function isRefusal(answer: unknown): answer is Refusal {
  return (
    typeof answer === 'object' && answer !== null && 'refuse' in answer && typeof answer.refuse === 'string'
  )
}
