import { createClaim, type Storage, step } from '../../core/storage/index.ts'
import { leaseMs } from '../entries/entries.ts'
import { candidateQueue, reportQueue, type Statements } from '../statements/index.ts'

/** A website that this process has to itself for ten minutes. */
export interface Job {
  readonly kind: 'report' | 'candidate'
  /** A report's id, or a candidate's key. */
  readonly id: string
  readonly domain: string
  /** The end of the lease. */
  readonly until: string
}

/** Due websites, by the rows' own times: the process that moves a row's time ahead has the website to itself. */
export const createQueue = (deps: { storage: Storage; statements: Statements; now: () => Date }) => {
  const { storage, statements, now } = deps
  const claimReports = createClaim(storage, reportQueue(leaseMs))
  const claimCandidates = createClaim(storage, candidateQueue(leaseMs))

  /** Takes up to `limit` websites, those of the index first. */
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

  /** Gives a website back unvisited, for `inMs` later. */
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
export type Queue = ReturnType<typeof createQueue>
