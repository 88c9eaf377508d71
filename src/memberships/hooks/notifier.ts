import { isMembershipError } from '../../core/errors.ts'
import type { Message, Outbox } from '../../core/jobs/outbox.ts'
import { createRounds } from '../../core/jobs/rounds.ts'
import type { Log } from '../../core/log.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import { createFormerMembers, createPurchaseReader, type Ledger, timeMark } from '../ledger/index.ts'
import { createAccountReader, createCurrent, type User, type Users } from '../members/index.ts'
import { type DomainEvent, differences, type NotifiedState } from './difference.ts'
import { type Ahead, closingOf, expiringCardOf, upcomingOf, yearlyReminderOf } from './reminders.ts'
import { whenRenewed } from './renewals.ts'
import { type DueKey, type DueMark, notifierStatements } from './statements.ts'

/** All changes of one member since the last notification. */
export interface MemberChanges {
  readonly member: User
  readonly domainEvents: readonly DomainEvent[]
  /** The providers where the member's data changed. */
  readonly documents: readonly string[]
  /** True for a member's first notification, if the member was created after notifications began. */
  readonly isNew: boolean
  /** True if a purchase or a login link created the member. */
  readonly signedUp: boolean
  /** Unique for this member and comparison. */
  readonly id: string
  /** Present if these are the last changes of an account that was deleted, or merged into another. */
  readonly gone?: GoneAccount
}

/** The least that a last message needs of an account, which cannot be read any more when the message is delivered. */
export interface GoneAccount {
  readonly email: string | null
  readonly email_verified: boolean
  readonly created_at: string
  readonly isDeleted: boolean
}

/** Turns a member's changes into messages. */
export type Consumer = (changes: MemberChanges) => readonly Message[]

export interface Notifier {
  /** Works off the due rows and returns how many members were checked. Runs within one process follow one another. */
  runDue(): Promise<number>
  sweepReminders(): Promise<void>
}

/**
 * Finds the changes of members whose purchases changed, and queues the messages about them. The same unit remembers the
 * notified state, so a crash neither repeats nor loses a notification.
 */
export function createNotifier(deps: {
  storage: Storage
  users: Users
  ledger: Ledger
  outbox: Outbox
  consumers: readonly Consumer[]
  /** Days before a trial's end and a yearly renewal at which members are notified. Without it they are not. */
  ahead?: Ahead
  /** The members who are reminded of each contract once a year, and if there are any. */
  yearly?: {
    readonly isOn: () => Promise<boolean>
    readonly appliesTo: (memberId: string) => Promise<boolean>
  }
  /** When notifications began on this database, ISO 8601 UTC. Anything earlier is already known. */
  since: string
  /** Replaces a beginning that a wrong clock wrote, because it has not come yet. */
  trustedSince?: (stored: string) => Promise<string>
  now: () => Date
  log: Log
}): Notifier {
  const {
    storage,
    users,
    ledger,
    outbox,
    consumers,
    ahead = { trialDays: 0, renewalDays: 0 },
    yearly = { isOn: async () => false, appliesTo: async () => false },
    now,
    log,
  } = deps
  const statements = notifierStatements(storage)
  const current = createCurrent(storage)
  const purchases = createPurchaseReader(storage)
  const former = createFormerMembers(storage)
  const accounts = createAccountReader(storage)
  const settlesAt = createPurchaseSettling(storage, now)

  let { since: begun } = deps
  let last: Promise<unknown> = Promise.resolve()

  const runDue = (): Promise<number> => {
    const run = last.then(workOff, workOff)
    last = run
    return run
  }

  const workOff = async (): Promise<number> => {
    let notified = 0
    // A process without consumers would consume the changes and notify nobody.
    if (consumers.length === 0) return notified
    if (begun > now().toISOString()) begun = (await deps.trustedSince?.(begun)) ?? begun
    for (;;) {
      const due = await storage.all(statements.due, { now: now().toISOString() })
      let progress = 0
      for (const mark of due) if (await notifyOf(mark)) progress++
      notified += progress
      if (progress === 0) return notified
    }
  }

  const notifyOf = async ({ due_at: _, ...mark }: DueMark): Promise<boolean> => {
    let memberId: string | null = null
    try {
      memberId = mark.provider === '' ? mark.owner_id : await ownerOf(mark)
      // A deleted member is not notified: the notified state is gone, so every purchase would look new.
      const isDeleted = memberId !== null && (await former.isDeleted(memberId))
      // Read before the member. Another process may notify meanwhile, and its revision must not meet an older state of
      // the member.
      const [row] = memberId === null ? [] : await storage.all(statements.notified, { member_id: memberId })
      const member = memberId === null || isDeleted ? null : await users.findById(memberId)
      // The purchase has no owner yet. A member who claims it is queued then.
      const steps = member === null ? [step(statements.done, mark)] : await changes(member, row, mark)
      await storage.commit(steps)
      return true
    } catch (error) {
      if (isMembershipError(error, 'ERR_STORAGE')) throw error
      if (error instanceof UnitConflict)
        log('nothing to do: another process sent the events of a member first', { member: memberId })
      else await postpone(mark, memberId, error)
      return false
    }
  }

  /** Postpones one member's notifications. The other members are not affected. */
  const postpone = async (
    { attempts, ...mark }: Mark,
    memberId: string | null,
    error: unknown,
  ): Promise<void> => {
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    log('the events of a member could not be sent and are retried', { member: memberId, reason })
    const seconds = Math.min(3600, 5 * 4 ** Math.min(attempts, 8))
    const due_at = new Date(now().getTime() + seconds * 1000).toISOString()
    await storage.commit([step(statements.postpone, { ...mark, due_at, error: reason })])
  }

  const ownerOf = async ({ provider, account, owner_id }: DueKey): Promise<string | null> =>
    (await purchases.findCustomer({ provider, account, customer_id: owner_id }))?.member_id ?? null

  const changes = async (
    member: User,
    row: { readonly data: string; readonly revision: number } | undefined,
    mark: Mark,
  ): Promise<Step[]> => {
    const made = await accounts.findById(member.id)
    const notified = row ? (JSON.parse(row.data) as NotifiedState) : null
    // Imported data is already known, too.
    const since = mark.known_at !== null && mark.known_at > begun ? mark.known_at : begun
    const own: Ahead = { ...ahead, yearly: await yearly.appliesTo(member.id) }
    const { domainEvents, documents, next } = differences(notified, member, {
      since,
      now: now().toISOString(),
      ahead: own,
    })
    // This also applies where a first comparison found nothing: the purchase may arrive one event later.
    const createdBy = made?.created_by ?? null
    const settledBy =
      closesWhilePaid(domainEvents, member, now()) ?? (await settlesAt(member, { createdBy, domainEvents }))
    if (settledBy !== null) return [step(statements.move, { ...mark, due_at: settledBy })]
    const revision = row?.revision ?? 0
    const found: MemberChanges = {
      member,
      domainEvents,
      documents,
      isNew: notified === null && member.created_at >= since,
      signedUp: createdBy !== null,
      // Revisions begin again in a restored copy, whose notifications begin at another moment.
      id: `${member.id}:${Date.parse(begun).toString(36)}:${revision}`,
    }
    const messages = consumers.flatMap((consumer) => consumer(found))
    const key = { member_id: member.id, data: JSON.stringify(next) }
    const remember = row
      ? [step(statements.updateNotified, { ...key, revision }, 1)]
      : current.unlessMerged(member.id, (write) => [
          write(statements.insertNotified, { ...key, revision: 1 }, 1),
        ])
    return [...remember, ...outbox.steps(messages), ...nextMark(member, mark, own)]
  }

  /** Removes the row, and queues a new one for the next moment at which time alone changes something. */
  const nextMark = (member: User, mark: Mark, own: Ahead): Step[] => {
    const until = nextMoment(member, now().toISOString(), own)
    if (until !== null && mark.account === timeMark && mark.provider === '')
      return [step(statements.move, { ...mark, due_at: until })]
    return [
      step(statements.done, mark),
      ...(until === null ? [] : ledger.noteMember(member.id, { dueAt: until })),
    ]
  }

  /** Checks every member again when the notice days changed. */
  const sweepReminders = createReminderSweep({ storage, ledger, ahead, isYearly: yearly.isOn, now })

  return { runDue, sweepReminders: async () => (consumers.length === 0 ? undefined : sweepReminders()) }
}
type Mark = Omit<DueMark, 'due_at'>

// A payment's events arrive one by one: between "open" and "paid" a dearer plan looks closed for a second.
const settlingMs = 10_000

/**
 * Returns the moment until which a closed gate is not notified, because a pending payment may keep it open; null when
 * no payment is pending.
 */
function closesWhilePaid(domainEvents: readonly DomainEvent[], member: User, now: Date): string | null {
  if (!domainEvents.some((item) => item.name === 'access' && item.closed.length > 0)) return null
  const settled = member
    .payments()
    .filter((p) => p.status === 'pending' && p.subscription_id !== null)
    .map((p) => new Date(Date.parse(p.updated_at) + settlingMs).toISOString())
    .sort()
    .at(-1)
  return settled !== undefined && settled > now.toISOString() ? settled : null
}

/** Returns the next moment at which time alone may open or close a gate, or make a notice due. */
function nextMoment(member: User, now: string, ahead: Ahead): string | null {
  const gates = [
    ...member.gates(),
    ...member.subscriptions().flatMap((s) => s.items.map((item) => item.price_id)),
    ...member.grants().map(({ gate }) => gate),
  ].filter((gate) => gate !== null)
  const moments = [
    ...[...new Set(gates)].map((gate) => member.explain(gate).until),
    ...member.grants().map((grant) => grant.starts_at),
    ...member.subscriptions().map((s) => upcomingOf(s, ahead)?.due ?? null),
    ...member.subscriptions().map((s) => yearlyReminderOf(s, ahead, now)?.due ?? null),
    ...member.subscriptions().map((s) => expiringCardOf(s, member.payments())?.due ?? null),
    ...member.subscriptions().map((s) => closingOf(s, member)?.due ?? null),
    ...member.subscriptions().map((s) => (s.status === 'active' ? whenRenewed(s, member.payments()) : null)),
  ].filter((moment): moment is string => moment !== null && moment > now)
  return moments.sort()[0] ?? null
}

/**
 * Returns the moment until which a buyer's first notification waits; null when it need not wait. A customer event can
 * create an account just before the event that names the checkout. Only that checkout knows the order and the language
 * of the first mails.
 */
function createPurchaseSettling(storage: Storage, now: () => Date) {
  const { openPurchase, ownPurchase } = notifierStatements(storage)

  return async (
    member: Pick<User, 'id' | 'created_at'>,
    { createdBy, domainEvents }: { createdBy: string | null; domainEvents: readonly DomainEvent[] },
  ): Promise<string | null> => {
    const until = new Date(Date.parse(member.created_at) + waitMs).toISOString()
    // An intent's id has no colon: the checkout itself created the member.
    if (createdBy === null || !createdBy.includes(':') || until <= now().toISOString()) return null
    for (const bought of domainEvents.flatMap(boughtIn)) {
      const [own] = await storage.all(ownPurchase, { ...bought, member: member.id })
      if (own !== undefined) return null
      const asked = { ...bought, now: now().toISOString(), made: member.created_at }
      const [open] = await storage.all(openPurchase, asked)
      if (open !== undefined) return until
    }
    return null
  }
}

// The events of one purchase arrive within seconds. After that the purchase did not begin on this site.
const waitMs = 20_000

function boughtIn(item: DomainEvent): { provider: string; price: string }[] {
  const object = 'subscription' in item ? item.subscription : 'payment' in item ? item.payment : null
  return object === null || object.price_id === null
    ? []
    : [{ provider: object.provider, price: object.price_id }]
}

/**
 * Checks every member with an active subscription again when the notice days changed, after an upgrade or a new
 * setting. Otherwise a yearly renewal would be checked only when the year is over.
 */
function createReminderSweep(deps: {
  storage: Storage
  ledger: Pick<Ledger, 'noteMember'>
  ahead: Ahead
  isYearly: () => Promise<boolean>
  now: () => Date
}) {
  const { storage, ledger, ahead, isYearly, now } = deps
  const rounds = createRounds(storage, now)
  const { running } = notifierStatements(storage)

  /** Queues the members page by page, and continues where a stopped process was. */
  return async (): Promise<void> => {
    const isOfYears = await isYearly()
    // Each setting has a round of its own, so that longer notice days check everybody again.
    const name = `look ahead ${ahead.trialDays} ${ahead.renewalDays} closing${isOfYears ? ' yearly' : ''}`
    const round = await rounds.take<SweepState>(name, { everyMs, leaseMs, firstMs: 0 })
    if (round === null) return
    let { after } = round.state ?? { after: '' }
    while (after !== null && (await round.keep())) {
      const page = await storage.all(running, { after })
      const dueAt = now().toISOString()
      await storage.commit(page.flatMap(({ member_id }) => ledger.noteMember(member_id, { dueAt })))
      after = page.at(-1)?.member_id ?? null
    }
    await round.end({ after })
  }
}

const everyMs = 3_600_000
const leaseMs = 120_000

interface SweepState {
  /** The last member that was queued; null once all were. */
  readonly after: string | null
}
