import { hash } from 'node:crypto'
import type { Shop } from '../../core/access/index.ts'
import { createDocuments, pagesOf, type Storage } from '../../core/storage/index.ts'
import { shopText } from '../catalogue/index.ts'
import type { Ledger, Origin } from '../ledger/index.ts'

/**
 * Asks again about purchases that are not this site's, or of which that is not known. It runs after the configuration
 * or the catalogue changed, and now and then for subscriptions that another process accepted meanwhile. Some minutes
 * after a change it asks once more, because other processes may have stored messages by what they knew before.
 */
export function createReconsidering(deps: {
  storage: Storage
  ledger: Ledger
  shopOf: (provider: string) => Shop
  providers: readonly string[]
  now: () => Date
}) {
  const { storage, ledger, shopOf, providers, now } = deps
  const documents = createDocuments(storage, 'shops')
  /** By provider: when everything is asked about once more. */
  const nextTimes = createDocuments(storage, 'shops-again')
  /** By provider: the shop for which this process knows that everything was asked about. */
  const seen = new Map<string, string>()
  let repairedAt = Number.NEGATIVE_INFINITY

  /** Returns the number of purchases that were asked about. */
  const runDue = async (): Promise<number> => {
    let asked = 0
    const changed = new Map<string, string>()
    for (const key of providers) {
      const shop = shopOf(key)
      const text = hash('sha256', shopText(shop), 'hex')
      if (seen.get(key) === text) continue
      const known = await documents.get<string>(key)
      // A site that always took in everything has nothing that waits.
      if (known !== text && (known !== null || shop.accepts === 'plans')) changed.set(key, text)
      else seen.set(key, text)
    }
    const isShared = providers.some((key) => shopOf(key).accepts === 'plans')
    const repairs = isShared && now().getTime() - repairedAt >= repairMs
    if (changed.size === 0 && !repairs) return 0
    repairedAt = now().getTime()
    const again = repairs ? await dueAgain() : []
    const isDue = (row: { provider: string; is_own: number }) =>
      changed.has(row.provider) || again.includes(row.provider) || Number(row.is_own) > 0
    for await (const row of walk(ledger.statements.others))
      if (isDue(row) && ++asked)
        await ledger.reconsider(originOf(row), { subscriptions: [row.id], payments: [] })
    for await (const row of walk(ledger.statements.waiting))
      if (isDue(row) && ++asked)
        await ledger.reconsider(originOf(row), { subscriptions: [], payments: [row.id] })
    for (const key of again) await nextTimes.remove(key)
    for (const [key, text] of changed) {
      await nextTimes.put(key, new Date(now().getTime() + againMs).toISOString())
      await documents.put(key, text)
      seen.set(key, text)
    }
    return asked
  }

  const dueAgain = async (): Promise<readonly string[]> => {
    const moments = await Promise.all(providers.map((key) => nextTimes.get<string>(key)))
    return providers.filter((_, n) => moments[n] != null && moments[n] <= now().toISOString())
  }

  async function* walk<R extends Place>(
    statement: Parameters<typeof storage.all<Place & { limit: number }, R>>[0],
  ): AsyncGenerator<R> {
    const first: Place = { provider: '', account: '', id: '' }
    for await (const rows of pagesOf<R>(pageSize, (last) => {
      const { provider, account, id } = last ?? first
      return storage.all(statement, { provider, account, id, limit: pageSize })
    }))
      yield* rows
  }

  // Whoever bought long ago is no news.
  const originOf = ({ provider, account, begun_at = null }: Place & { begun_at?: string | null }): Origin => {
    const at = now().toISOString()
    const isOld = begun_at !== null && now().getTime() - Date.parse(begun_at) > newsMs
    const origin = { provider, account, id: `again:${at}`, source: 'event' as const, at }
    return isOld ? { ...origin, isQuiet: true } : origin
  }

  return { runDue }
}

interface Place {
  readonly provider: string
  readonly account: string
  readonly id: string
}

const pageSize = 500
const repairMs = 600_000
// Until then, other processes have the newest configuration and catalogue.
const againMs = 900_000
const newsMs = 86_400_000
