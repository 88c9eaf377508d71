import type { Message, Outbox } from '../../core/jobs/outbox.ts'
import { createDocuments, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'
import type { Declaration, Declarations } from './declarations.ts'
import { type Dispute, disputesSince } from './statements.ts'
import type { OpenUnusedPayment, UnusedMoney } from './unused-money.ts'

/** A matter that an operator has to answer by a day. */
export interface Deadline {
  readonly kind: 'dispute' | 'cancellation' | 'withdrawal' | 'payment'
  /** The declaration's number, or the provider's id of the dispute or the payment. */
  readonly id: string
  /** When it arrived, ISO 8601 UTC. */
  readonly since: string
  /** null if the dispute's provider names no day, and for a payment. */
  readonly due_on: string | null
  readonly member_id: string | null
  /** The declaration as it was typed. */
  readonly declaration: Declaration | null
  /** The money of a dispute, or of a payment that arrived after the end and opened nothing. */
  readonly dispute: {
    readonly provider: string
    readonly account: string
    readonly payment_id: string | null
    readonly amount: number | null
    readonly currency: string | null
  } | null
  /** Names an unused payment in forms; absent for the others. */
  readonly key?: string
}

const most = 1000
const disputesLastMs = 365 * 86_400_000
const reminderMs = 3 * 86_400_000

export interface Deadlines {
  list(): Promise<Deadline[]>
  /** Each mail is queued in the unit that records it, once across all processes. */
  runDue(): Promise<void>
}

/**
 * Lists matters with a deadline, oldest first. The operator gets a mail when one arrives and another when three days
 * are left.
 */
export function createDeadlines(deps: {
  storage: Storage
  declarations: Pick<Declarations, 'list'>
  unusedMoney: Pick<UnusedMoney, 'list'>
  outbox: Outbox
  /** Builds the mail about a deadline; null where nobody is to be mailed. */
  message: (deadline: Deadline, name: string) => Message | null
  now: () => Date
}): Deadlines {
  const { storage, declarations, unusedMoney, outbox, message, now } = deps
  const disputes = disputesSince(storage)
  const notified = createDocuments(storage, 'deadlines-notified')
  const note = storage.prepare<{ key: string; value: string }>('deadline-notified', (db, p) =>
    db
      .insertInto('documents')
      .values({ space: 'deadlines-notified', key: p.key, value: p.value })
      .onConflict((c) => c.columns(['space', 'key']).doNothing()),
  )

  const list = async (): Promise<Deadline[]> => {
    const since = new Date(now().getTime() - disputesLastMs).toISOString()
    const [declared, disputed, unused] = await Promise.all([
      declarations.list({ open: true, limit: most }),
      storage.all(disputes, { since, limit: most }),
      unusedMoney.list(),
    ])
    return [...declared.map(ofDeclaration), ...openDisputes(disputed), ...unused.map(ofUnusedPayment)].sort(
      (a, b) => (a.since < b.since ? -1 : 1),
    )
  }

  const runDue = async (): Promise<void> => {
    for (const deadline of await list()) {
      const names = [nameOf(deadline), ...(isNear(deadline, now()) ? [`${nameOf(deadline)}:near`] : [])]
      // A matter that arrives with few days left gets one mail.
      const name = names.at(-1)!
      const mail = message(deadline, name)
      if (mail === null || (await notified.get(name)) !== null) continue
      const value = JSON.stringify(now().toISOString())
      await storage
        .commit([step(note, { key: name, value }, 1), ...outbox.steps([mail])])
        .catch((error: unknown) => {
          if (!(error instanceof UnitConflict)) throw error
        })
    }
  }

  return { list, runDue }
}

function nameOf({ kind, id, dispute }: Deadline): string {
  return dispute === null ? `${kind}:${id}` : `${kind}:${dispute.provider}:${dispute.account}:${id}`
}

function isNear({ due_on }: Deadline, now: Date): boolean {
  return due_on !== null && Date.parse(due_on) - now.getTime() <= reminderMs
}

function ofDeclaration(declaration: Declaration): Deadline {
  return {
    kind: declaration.kind,
    id: declaration.id,
    since: declaration.received_at,
    due_on: declaration.due_on,
    member_id: declaration.member_id,
    declaration,
    dispute: null,
  }
}

function ofUnusedPayment({ key, since, member_id, amount, currency, ...place }: OpenUnusedPayment): Deadline {
  const { provider, account, payment_id } = place
  return {
    kind: 'payment',
    id: payment_id,
    since,
    due_on: null,
    member_id,
    declaration: null,
    dispute: { provider, account, payment_id, amount, currency },
    key,
  }
}

/**
 * Undecided disputes with their payment and member. A Stripe inquiry is included, because without an answer it becomes
 * a dispute.
 */
function openDisputes(rows: readonly Dispute[]): Deadline[] {
  return rows.flatMap(({ id, data, at, member_id, provider, account, payment_id }): Deadline[] => {
    const { state, amount, currency, due_at } = JSON.parse(data) as MoneyFact
    if (state !== 'open' && state !== 'pending') return []
    return [
      {
        kind: 'dispute' as const,
        id,
        since: at,
        member_id,
        declaration: null,
        due_on: due_at?.slice(0, 10) ?? null,
        dispute: { provider, account, payment_id, amount: amount ?? null, currency: currency ?? null },
      },
    ]
  })
}
