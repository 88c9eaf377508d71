import { boughtOnce, type Config } from '../../core/config/index.ts'
import { beingAssignedMs, type PaymentData } from '../../core/dto/index.ts'
import { type Step, unlessConflict } from '../../core/storage/index.ts'
import { createLedgerDoors, splitRef } from '../ledger/index.ts'
import { type Assigning, type AssigningDeps, createAssigning } from './assign.ts'

/** A payment that waits for an operator's decision, and its likely member. */
export interface Unassigned {
  readonly payment: PaymentData
  readonly memberId: string | null
  readonly email: string | null
}

/**
 * Handles paid money of unknown purpose. Halfway through ten minutes the provider is asked once more. At their end the
 * log and a mail to the buyer report it, once across all processes.
 */
export function createUnassigned(
  deps: Omit<AssigningDeps, 'settled'> & {
    readonly config: Pick<Config, 'providers'>
    /** Queues messages about it for the buyer. */
    readonly tell: (unassigned: Unassigned) => readonly Step[]
  },
): Assigning & { runDue(): Promise<number> } {
  const { storage, ledger, tell, now, log } = deps
  // For these providers the site configured the purpose, so nothing is left to do.
  const settled = boughtOnce(deps.config.providers)
  const doors = createLedgerDoors(storage)
  const due = storage.prepare<
    { until: string; stage: number; limit: number },
    Key & { unknown_step: number }
  >('payments-unknown-due', (db, p) =>
    db
      .selectFrom('payments')
      .select(['provider', 'account', 'id', 'unknown_step'])
      .where('unknown_since', 'is not', null)
      .where('unknown_since', '<=', p.until)
      .where('unknown_step', '<', p.stage)
      .orderBy('unknown_since')
      .limit(p.limit),
  )
  const dueSince = (ms: number, stage: number) =>
    storage.all(due, { until: new Date(now().getTime() - ms).toISOString(), stage, limit: pageSize })

  /** Returns the number of handled payments. */
  const runDue = async (): Promise<number> => {
    const late = await dueSince(beingAssignedMs, notified)
    for (const row of late)
      if ((await took(row, notified)) && !settled.has(row.provider))
        log('a payment is paid and nobody says what for: it opens nothing', {
          provider: row.provider,
          payment: row.id,
          action: `membership payments assign ${row.id} --as one-time`,
        })
    const young = await dueSince(beingAssignedMs / 2, asked)
    for (const row of young) await took(row, asked)
    return late.length + young.length
  }

  const took = async (
    { provider, account, id, unknown_step: from }: Key & { unknown_step: number },
    to: number,
  ): Promise<boolean> => {
    const key = { provider, account, id }
    const others = to === asked ? await fetchesFor(key) : settled.has(provider) ? [] : await newsOf(key)
    // In a conflict another process was first, or the purpose became known just now.
    return unlessConflict(storage.commit([doors.handledUnknown({ ...key, from, to }), ...others]))
  }

  const fetchesFor = async ({ id, ...origin }: Key) => {
    const refs = await storage.all(ledger.statements.refsOfPayment, { ...origin, payment_id: id })
    return refs
      .map(({ ref }) => splitRef(ref))
      .filter(({ kind }) => kind === 'payment')
      .flatMap((ref) => ledger.requestFetch(origin, { kind: ref.kind, id: ref.id }, now().toISOString()))
  }

  const newsOf = async (key: Key): Promise<readonly Step[]> => {
    const [row] = await storage.all(ledger.statements.payment, key)
    if (row === undefined) return []
    const { provider, account, owner_id: customer_id } = row
    const [owner] = await storage.all(ledger.statements.customer, { provider, account, customer_id })
    const payment = JSON.parse(row.data) as PaymentData
    return tell({ payment, memberId: owner?.member_id ?? null, email: owner?.email ?? null })
  }

  return { runDue, ...createAssigning({ ...deps, settled }) }
}

interface Key {
  readonly provider: string
  readonly account: string
  readonly id: string
}

const asked = 1
const notified = 2
const pageSize = 100
