import { type Storage, step, UnitConflict } from '../../storage/index.ts'
import { leaseMs } from '../entries/entries.ts'
import type { Statements } from '../statements/index.ts'

/** A website that this process has to itself for ten minutes. */
export interface Job {
  readonly kind: 'report' | 'candidate'
  /** A report's id, or a candidate's key. */
  readonly id: string
  readonly domain: string
  /** The end of the lease. */
  readonly until: string
}

/** What is due, by the rows' own times: whoever moves one ahead has the website to itself. */
export const createQueue = (deps: { storage: Storage; statements: Statements; now: () => Date }) => {
  const { storage, statements, now } = deps

  /** Takes up to `limit` websites; fewer when other processes are faster. */
  const take = async (limit: number): Promise<Job[]> => {
    const at = now()
    const until = new Date(at.getTime() + leaseMs).toISOString()
    const asked = { now: at.toISOString(), limit }
    const [reports, candidates] = await Promise.all([
      storage.all(statements.reportsDue, asked),
      storage.all(statements.candidatesDue, asked),
    ])
    const jobs = [
      ...reports.map(({ id, due_at, domain }) => ({
        job: { kind: 'report' as const, id, domain, until },
        lease: step(statements.reportLease, { id, due_at, until }, 1),
      })),
      ...candidates.map(({ url_key, due_at, domain }) => ({
        job: { kind: 'candidate' as const, id: url_key, domain, until },
        lease: step(statements.candidateLease, { url_key, due_at, until }, 1),
      })),
    ].slice(0, limit)
    const taken = await Promise.all(jobs.map(({ lease }) => isFirst(storage.commit([lease]))))
    return jobs.filter((_, i) => taken[i]).map(({ job }) => job)
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

const isFirst = async (commit: Promise<void>): Promise<boolean> => {
  try {
    await commit
    return true
  } catch (error) {
    if (error instanceof UnitConflict) return false
    throw error
  }
}
