import { wasCancelled } from '../core/access/index.ts'
import { hasFailed, type Payment, type Plan, type Subscription, titleOf } from '../core/dto/index.ts'
import type { AuditRecord } from '../memberships/audit-log/index.ts'
import type { User } from '../memberships/members/index.ts'
import type { Fillings } from './words.ts'

/** An entry in a member's timeline. */
export interface TimelineEntry {
  readonly at: string
  readonly kind: 'money' | 'change' | 'access' | 'action' | 'delivery' | 'message' | 'note'
  /** The key of the text: `line.{key}`. */
  readonly key: string
  readonly fill: Fillings
  /** True for an entry about a failure. */
  readonly isTrouble?: boolean
  readonly href?: string
}

/** A received event about one of the member's objects. */
export interface ReceivedLine {
  readonly seq: number
  readonly type: string
  readonly provider: string
  readonly received_at: string
  readonly status: string
}

/** An unsent message to or about the member. */
export interface MessageLine {
  readonly seq: number
  readonly kind: string
  readonly created_at: string
  readonly status: string
}

/** A mail sent to the member. */
export interface MailLine {
  readonly kind: string
  readonly sent_at: string
}

/** A day of a timeline. Events of the provider that were applied are apart: they repeat what the other lines say. */
export interface TimelineDay {
  readonly day: string
  readonly lines: readonly TimelineEntry[]
  readonly events: readonly TimelineEntry[]
}

/** Groups a timeline by day, newest first. Pure. */
export function byDay(entries: readonly TimelineEntry[]): TimelineDay[] {
  const days = new Map<string, { lines: TimelineEntry[]; events: TimelineEntry[] }>()
  for (const entry of entries) {
    const day = entry.at.slice(0, 10)
    const known = days.get(day) ?? { lines: [], events: [] }
    if (entry.kind === 'delivery' && entry.isTrouble !== true) known.events.push(entry)
    else known.lines.push(entry)
    days.set(day, known)
  }
  return [...days].map(([day, { lines, events }]) => ({ day, lines, events }))
}

/** Lists everything that happened to a member, newest first. */
export function timelineOf(known: {
  user: User
  plans: readonly Plan[]
  records: readonly AuditRecord[]
  events: readonly ReceivedLine[]
  messages: readonly MessageLine[]
  mails: readonly MailLine[]
  money: (payment: Payment, amount: number) => string
  office: string
}): TimelineEntry[] {
  const { user, plans, records, events, messages, mails, money, office } = known
  const lines: TimelineEntry[] = [
    { at: user.created_at, kind: 'change', key: 'joined', fill: {} },
    ...user.subscriptions().flatMap((s) => ofSubscription(s, titleOf(s.price_id, plans))),
    ...user.payments().flatMap((p) => ofPayment(p, titleOf(p.price_id, plans), money)),
    ...records.map(ofAction),
    ...events.map(
      ({ seq, type, provider, received_at: at, status }): TimelineEntry => ({
        at,
        kind: 'delivery',
        key: 'received',
        fill: { type, provider },
        isTrouble: status === 'failed' || status === 'dead' || status === 'held',
        href: `${office}/deliveries/${seq}`,
      }),
    ),
    ...mails.map(
      ({ kind, sent_at: at }): TimelineEntry => ({ at, kind: 'message', key: 'mail', fill: { mail: kind } }),
    ),
    ...messages.map(
      ({ kind, created_at: at, status }): TimelineEntry => ({
        at,
        kind: 'message',
        key: status === 'dead' ? 'message_dead' : 'message_waiting',
        fill: { kind },
        isTrouble: status === 'dead',
        href: `${office}/messages`,
      }),
    ),
  ]
  return lines.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}

function ofSubscription(s: Subscription, title: string): TimelineEntry[] {
  const line = (at: string | null, key: string): TimelineEntry[] =>
    at === null ? [] : [{ at, kind: 'change', key, fill: { title } }]
  return [
    ...line(s.started_at, s.trial_ends_at === null ? 'began' : 'began_trial'),
    ...line(wasCancelled(s) ? s.canceled_at : null, 'cancelled'),
    ...line(s.paused_at, 'paused'),
    ...line(s.ended_at, 'ended'),
    ...line(s.past_due_since, 'overdue').map((item) => ({ ...item, isTrouble: true })),
  ]
}

function ofPayment(
  p: Payment,
  title: string,
  money: (payment: Payment, amount: number) => string,
): TimelineEntry[] {
  const line = (at: string, key: string, amount: number, isTrouble = false): TimelineEntry => ({
    at,
    kind: 'money',
    key,
    fill: { title, amount: money(p, amount) },
    isTrouble,
  })
  const paid = p.paid_at === null ? [] : [line(p.paid_at, 'paid', p.amount)]
  if (p.status === 'failed') return [line(p.updated_at, 'failed', p.amount, hasFailed(p))]
  if (p.status === 'pending') return [line(p.updated_at, 'pending', p.amount)]
  if (p.status === 'disputed') return [...paid, line(p.updated_at, 'disputed', p.amount, true)]
  return p.amount_refunded > 0 ? [...paid, line(p.updated_at, 'refunded', p.amount_refunded)] : paid
}

function ofAction({ at, by, action, outcome, after, subject }: AuditRecord): TimelineEntry {
  const text = action === 'note' && after !== null ? (after as { text?: string }).text : undefined
  if (text !== undefined) return { at, kind: 'note', key: 'note', fill: { by, text } }
  return {
    at,
    kind: 'action',
    key: `action_${outcome}`,
    fill: { by, action, subject: subject ?? '' },
    isTrouble: outcome !== 'done',
  }
}
