import { withoutAddresses } from '../../core/dto/index.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { Log } from '../../core/log.ts'
import { createClaim, type Storage, step } from '../../core/storage/index.ts'
import { providerAt } from '../../providers/accounts.ts'
import type { Provider, Ref } from '../../providers/contract.ts'
import { fetchWindowMs, type Ledger } from '../ledger/index.ts'
import { fetchQueue } from '../ledger/statements/fetches.ts'

/**
 * Asks the providers for the objects that the ledger wants to know better: those that a message only mentioned, and
 * those between whose messages the evidence did not decide.
 */
export const createFetches = (deps: {
  storage: Storage
  ledger: Ledger
  providers: ReadonlyMap<string, Provider>
  now: () => Date
  log: Log
}) => {
  const { storage, ledger, providers, now, log } = deps
  const { statements } = ledger

  const claim = createClaim(storage, fetchQueue(leaseMs))

  /** Works off what is due. Returns how many objects were asked for. */
  const runDue = async (): Promise<number> => {
    let asked = 0
    for (;;) {
      const wishes = await claim(now(), atOnce)
      if (wishes.length === 0) return asked
      asked += wishes.length
      for (const { due_at: until, ...wish } of wishes) await ask({ ...wish, until })
    }
  }

  const ask = async (wish: {
    provider: string
    account: string
    kind: string
    id: string
    parent: string | null
    until: string
    attempts: number
    wishes: number
  }): Promise<void> => {
    const key = { provider: wish.provider, account: wish.account, kind: wish.kind, id: wish.id }
    const done = [
      step(statements.fetchDone, { ...key, wishes: wish.wishes }),
      step(statements.fetchAgain, {
        ...key,
        wishes: wish.wishes,
        due_at: new Date(now().getTime() + fetchWindowMs).toISOString(),
      }),
    ]
    try {
      const { kind, id, parent } = wish
      const ref = { kind, id, ...(parent === null ? {} : { parent }) } as Ref
      const fetched = await providerAt(providers, wish.provider, wish.account)?.fetch?.(ref)
      if (!fetched) return await storage.commit(done)
      const origin = {
        ...key,
        id: `fetch:${wish.kind}:${wish.id}:${fetched.at}`,
        source: 'fetch' as const,
        at: fetched.at,
      }
      await ledger.apply(fetched.changes, origin, done)
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      const reason = withoutAddresses(said).slice(0, 500)
      log('an object could not be asked for', {
        provider: wish.provider,
        kind: wish.kind,
        id: wish.id,
        reason,
      })
      const seconds = Math.min(3600, 5 * 2 ** Math.min(wish.attempts, 10))
      const due_at = new Date(now().getTime() + seconds * 1000).toISOString()
      await storage.commit([
        step(statements.fetchFailed, { ...key, until: wish.until, due_at, error: reason }),
      ])
    }
  }

  return { runDue }
}
export type Fetches = ReturnType<typeof createFetches>

// An answer takes a minute at most, tries included.
const leaseMs = 60_000 + clockSkewMs
// One after the other, each with the time that a provider takes: all of them within the lease.
const atOnce = 5
