import { withoutAddresses } from '../../core/dto/index.ts'
import type { Reputation } from '../../core/http/reputation.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import { within } from '../../core/jobs/worker-pool.ts'
import type { Log } from '../../core/log.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import type { Change, Fetched, ProviderReader, Ref } from '../../providers/contract.ts'
import { createFetchClaim, type DueFetch, fetchWindowMs, type Ledger, precedence } from '../ledger/index.ts'
import { providerAt } from '../verification/index.ts'
import type { Acknowledge } from './acknowledging.ts'

export interface Fetches {
  /** Works off what is due. Returns the number of fetched objects. */
  runDue(): Promise<number>
}

/**
 * Fetches the objects that the ledger needs: those that an event only mentioned, ties that evidence did not decide, and
 * those that a ping named. One process fetches an object at a time. Objects that only strangers named come last, and
 * only while few such fetches are in vain.
 */
export function createFetches(deps: {
  storage: Storage
  ledger: Ledger
  providers: ReadonlyMap<string, ProviderReader>
  reputation: Reputation
  acknowledge: Acknowledge
  now: () => Date
  log: Log
}): Fetches {
  const { storage, ledger, providers, reputation, acknowledge, now, log } = deps
  const { statements } = ledger
  const claimKnown = createFetchClaim(storage, leaseMs, precedence.known)
  const strangers = ([precedence.proven, precedence.anybody] as const).map((precedenceOfCaller) => ({
    claim: createFetchClaim(storage, leaseMs, precedenceOfCaller),
    inVainPerMinute: inVainPerMinute[precedenceOfCaller],
  }))
  const after = (ms: number): string => new Date(now().getTime() + ms).toISOString()

  const runDue = async (): Promise<number> => {
    let asked = 0
    for (;;) {
      const rows = await claim()
      if (rows.length === 0) return asked
      asked += rows.length
      await Promise.all(rows.map(ask))
    }
  }

  const claim = async (): Promise<DueFetch[]> => {
    const known = await claimKnown(now(), atOnce)
    if (known.length > 0) return known
    const inVain = await askedInVain()
    for (const { claim, inVainPerMinute } of strangers) {
      const rows = await claim(now(), Math.min(atOnce, inVainPerMinute - inVain))
      if (rows.length > 0) return rows
    }
    return []
  }

  /** False where another shop of the account sold all of it. */
  const isAnyOwn = async (
    { provider, account }: { provider: string; account: string },
    changes: readonly Change[],
  ): Promise<boolean> => {
    const standings = await Promise.all(
      changes.flatMap((change) => {
        const kind = change.type === 'money' ? change.kind : change.type
        return kind === 'subscription' || kind === 'payment'
          ? ledger.standingAt({ kind, provider, account, id: (change as { id: string }).id })
          : []
      }),
    )
    return standings.length === 0 || standings.some((standing) => standing !== 'foreign')
  }

  /** Counts the last minute's fetches in vain, across all processes. */
  const askedInVain = async (): Promise<number> => {
    const moment = now().toISOString()
    const remembered = await storage.all(statements.fetchesUnknown, {})
    const isOver = ({ due_at }: { due_at: string }) => due_at <= moment
    if (remembered.some(isOver))
      await storage.commit([
        step(statements.fetchForget, { now: moment }),
        step(statements.fetchOnceMore, { now: moment }),
      ])
    return remembered.filter((item) => !isOver(item)).length
  }

  const ask = async (row: DueFetch): Promise<void> => {
    const { provider, account, kind, id, parent } = row
    try {
      const ref = { kind, id, ...(parent === null ? {} : { parent }) } as Ref
      await take(row, await answerOf(providerAt(providers, provider, account), ref))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const reason = withoutAddresses(message).slice(0, 500)
      log('an object could not be asked for', { provider, kind, id, reason })
      const due_at = after(1000 * Math.min(3600, 5 * 2 ** Math.min(row.attempts, 10)))
      await storage.commit([
        step(statements.fetchFailed, { ...keyOf(row), until: row.due_at, due_at, error: reason }),
      ])
    }
  }

  /** Writes an answer. An object pinged or requested meanwhile is fetched once more. */
  const take = async (row: DueFetch, fetched: Fetched | null): Promise<void> => {
    const { caller, wishes } = row
    const key = keyOf(row)
    const again = step(statements.fetchAgain, { ...key, wishes, due_at: after(fetchWindowMs) })
    const isInVain = fetched === null && row.precedence !== precedence.known
    if (isInVain) {
      await storage.commit([
        again,
        step(statements.fetchUnknown, { ...key, wishes, due_at: after(minuteMs) }),
      ])
      if (caller !== null) await reputation.wasFalse(caller)
      return
    }
    const done = [step(statements.fetchDone, { ...key, wishes }), again]
    if (fetched === null) return storage.commit(done)
    // This must happen before the object itself is due again.
    if (caller !== null && (await reputation.wasTrue(caller)))
      await storage.commit([step(statements.fetchesProven, { caller, now: now().toISOString() })])
    const origin = { ...key, id: `fetch:${key.kind}:${key.id}:${fetched.at}`, at: fetched.at }
    const { unacknowledged = [] } = fetched
    if (unacknowledged.length === 0)
      return ledger.apply(fetched.changes, { ...origin, source: 'fetch' }, done)
    // Access opens first. The fetch stays due until the store knows of it.
    await ledger.apply(fetched.changes, { ...origin, source: 'fetch' })
    if (await isAnyOwn(key, fetched.changes)) await acknowledge(key, unacknowledged)
    await storage.commit(done)
  }

  return { runDue }
}

/** @throws TimeoutError when the lease ends, so that the next process is the only one that asks */
async function answerOf(provider: ProviderReader | undefined, ref: Ref): Promise<Fetched | null> {
  let fetched: Fetched | null = null
  await within(answerMs, new AbortController().signal, async () => {
    fetched = (await provider?.fetch?.(ref)) ?? null
  })
  return fetched
}
function keyOf({ provider, account, kind, id }: DueFetch) {
  return { provider, account, kind, id }
}

const minuteMs = 60_000
const answerMs = 60_000
// An answer takes this long at most, retries included, and is then written.
const leaseMs = answerMs + clockSkewMs
const atOnce = 5
// Invented ids cost a provider at most this many fetches, across all processes and addresses. During a flood, addresses
// whose pings were genuine before are not affected.
const inVainPerMinute = { [precedence.proven]: 120, [precedence.anybody]: 60 }
