import type { Plan } from '../../core/dto/index.ts'
import type { DomainEvent, MemberChanges } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import type { MailDefinition, Notice } from './define.ts'
import { kinds } from './kinds/index.ts'
import type { MailKind } from './mail.ts'
import { isSame } from './subjects.ts'

/** A notice and the kind of mail that it asks for. */
export type KindNotice = Notice & { readonly kind: MailKind }

const definitions = Object.entries(kinds) as [MailKind, MailDefinition<unknown>][]

/** Collects the mails that a domain event calls for. An event that is older than a month calls for none. */
export function noticesOf(
  event: DomainEvent,
  changes: MemberChanges,
  plans: readonly Plan[],
  now: Date,
): KindNotice[] {
  const moment = momentOf(event)
  if (moment !== null && Date.parse(moment) < now.getTime() - latestMs) return []
  return definitions.flatMap(([kind, { noticeOf }]) => {
    const notice = noticeOf?.(event, changes, plans) ?? null
    return notice === null ? [] : [{ ...notice, kind, key: `${kind}:${notice.key}` }]
  })
}

const latestMs = 30 * 86_400_000

/** When an event happened, by its provider's clock; null for an upcoming or undated event. */
function momentOf(event: DomainEvent): string | null {
  switch (event.name) {
    case 'payment':
      return event.payment.paid_at ?? event.payment.updated_at
    case 'given_back':
    case 'kept_back':
    case 'refunded':
      return event.payment.updated_at
    case 'subscribe':
      return event.subscription.started_at ?? event.subscription.updated_at
    case 'cancel':
      return event.subscription.canceled_at ?? event.subscription.ended_at ?? event.subscription.updated_at
    case 'failed':
    case 'change':
    case 'pause':
    case 'renew':
      return event.subscription.updated_at
    default:
      return null
  }
}

/** True for mails whose data is read again when they are written. */
export function isRefreshed(kind: MailKind): boolean {
  return kinds[kind].refresh !== null
}

/** The current data of such a mail; null where it no longer holds, so that the mail is not sent. */
export function refreshed(
  { kind, about, data }: Pick<KindNotice, 'kind' | 'about' | 'data'>,
  member: User,
  { plans, now }: { readonly plans: readonly Plan[]; readonly now: Date },
): object | null {
  const s = member.subscriptions().find((subscription) => about !== undefined && isSame(subscription, about))
  if (s === undefined) return null
  return kinds[kind].refresh?.(s, { data, member, plans, now: now.toISOString() }) ?? null
}
