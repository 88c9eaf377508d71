import type { Log } from '../log.ts'
import type { Storage } from '../storage/index.ts'
import { type Counters, inMemory } from './counters.ts'

/**
 * Opens `memory`, `database` (PostgreSQL), or a Redis address; null uses the database if it is PostgreSQL. While the
 * store is unreachable, each process counts by itself.
 * @throws ERR_CONFIG for a store that does not exist
 */
export async function openCounters(
  store: string | null,
  { storage, log }: { storage: Storage; log: Log },
): Promise<Counters> {
  if (store === 'memory' || (store === null && storage.send === undefined)) return inMemory
  const { inDatabase, inRedis } = await import('./shared-counters.ts')
  return store === null || store === 'database' ? inDatabase(storage, log) : inRedis(store, log)
}
