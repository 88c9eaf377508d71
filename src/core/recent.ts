import { LRUCache } from 'lru-cache'

/**
 * A cache of the values that were used last, `most` at most and each for `ttlMs` at most. It grows as it is filled:
 * a cache that is told how many entries there will be makes room for all of them at once, and an instance has
 * several of tens of thousands.
 */
export const createRecent = <V extends {}>(most: number, ttlMs = 0): LRUCache<string, V> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1, ttl: ttlMs })
