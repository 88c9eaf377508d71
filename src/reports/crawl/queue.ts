import { createClaim, type Storage, step } from '../../core/storage/index.ts'
import { leaseMs } from '../entries/entries.ts'
import { candidateQueue, reportQueue, type Statements } from '../statements/index.ts'

/** A website claimed by this process for ten minutes. */
export interface Job {
  readonly kind: 'report' | 'candidate'
  /** Id of a report, or key of a candidate. */
  readonly id: string
  readonly domain: string
  /** End of the lease. */
  readonly until: string
}

export interface Queue {
  /** Claims up to `limit` websites, those of the index first. */
  take(limit: number): Promise<Job[]>
  /** Returns a website unvisited, to be due again in `inMs`. */
  giveBack(job: Job, inMs: number): Promise<void>
}

/**
 * Queue of due websites, kept in the rows' own times. A process claims a website by moving its time ahead.
 */
export function createQueue(deps: { storage: Storage; statements: Statements; now: () => Date }): Queue {
  const { storage, statements, now } = deps
  const claimReports = createClaim(storage, reportQueue(leaseMs))
  const claimCandidates = createClaim(storage, candidateQueue(leaseMs))

  const take = async (limit: number): Promise<Job[]> => {
    const reports = await claimReports(now(), limit)
    const candidates = await claimCandidates(now(), limit - reports.length)
    return [
      ...reports.map(({ id, domain, due_at }) => ({ kind: 'report' as const, id, domain, until: due_at })),
      ...candidates.map(({ url_key, domain, due_at }) => ({
        kind: 'candidate' as const,
        id: url_key,
        domain,
        until: due_at,
      })),
    ]
  }

  const giveBack = async ({ kind, id, until }: Job, inMs: number): Promise<void> => {
    const later = new Date(now().getTime() + inMs).toISOString()
    await storage.commit([
      kind === 'report'
        ? step(statements.reportLease, { id, due_at: until, until: later })
        : step(statements.candidateLease, { url_key: id, due_at: until, until: later }),
    ])
  }

  return { take, giveBack }
}
