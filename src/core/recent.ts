import { LRUCache } from 'lru-cache'

/**
 * A cache of the most recently used values, with a limit on their number and age. It allocates as it fills. With a
 * fixed number of entries it would allocate all at once, and an instance has several of tens of thousands.
 */
export function createRecent<V extends {}>(most: number, ttlMs = 0): LRUCache<string, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1, ttl: ttlMs })
}
