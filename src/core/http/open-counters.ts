import type { Log } from '../log.ts'
import type { Storage } from '../storage/index.ts'
import { type Counters, inMemory } from './counters.ts'

/** `memory`, `database` (PostgreSQL), or the address of a Redis; null takes the database where it is PostgreSQL. While
 *  the store is away each process counts by itself. @throws ERR_CONFIG for a store that is not there */
export const openCounters = async (
  store: string | null,
  { storage, log }: { storage: Storage; log: Log },
): Promise<Counters> => {
  if (store === 'memory' || (store === null && storage.send === undefined)) return inMemory
  const { inDatabase, inRedis } = await import('./shared-counters.ts')
  return store === null || store === 'database' ? inDatabase(storage) : inRedis(store, log)
}
