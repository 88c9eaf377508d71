/** Brings a saved state back. */
export type Restore = () => void

/** Milliseconds of the fake clock by which a part of the API lags behind changes; 0 by default. */
export interface Lag {
  /** For reads of one object. */
  readonly reads?: number
  /** For lists, past events included. */
  readonly lists?: number
  /** Revision of an object (`updated_at` and the like) stands still for so long after it has moved. */
  readonly revisions?: number
}

/** Keeps earlier states of a fake server, so that reads can lag behind changes as those of a replica do. */
export function createReplica(now: () => number) {
  const parts: (() => Restore)[] = []
  let lags: readonly Lag[] = []
  const longest = (part: keyof Lag): number => Math.max(0, ...lags.map((lag) => lag[part] ?? 0))
  /** States before a change, oldest first, with the moment of the change. */
  let states: { readonly until: number; readonly restore: Restore }[] = []

  const save = (): Restore => {
    const saved = parts.map((part) => part())
    return () => {
      for (const restore of saved) restore()
    }
  }
  const showing = <T>(ms: number, run: () => T, current: T): T => {
    const earlier = states.find(({ until }) => until > now() - ms)
    if (ms === 0 || earlier === undefined) return current
    const restore = save()
    earlier.restore()
    try {
      return run()
    } finally {
      restore()
    }
  }
  return {
    /** Saves the current state, and the earlier ones. */
    save: (): Restore => {
      const [restore, saved] = [save(), { lags, states }]
      return () => {
        restore()
        ;({ lags, states } = saved)
      }
    },
    /** Registers a part of the state; `save` returns the function that brings its content back. */
    track: (save: () => Restore): void => {
      parts.push(save)
    },
    /** Starts a lag, and returns the function that ends it. */
    start: (lag: Lag): (() => void) => {
      lags = [...lags, lag]
      return () => {
        lags = lags.filter((known) => known !== lag)
      }
    },
    now,
    /** Returns true while the revision of an object that last moved then stands still. */
    standsStill: (movedAt: number): boolean => now() - movedAt < longest('revisions'),
    /** Keeps the state as it is before a change. */
    beforeChange: (): void => {
      if (lags.length === 0) return
      const until = now()
      if (states.at(-1)?.until === until) return
      const since = until - Math.max(longest('reads'), longest('lists'))
      states = [...states.filter((state) => state.until > since), { until, restore: save() }]
    },
    /** Executes a read, which changes nothing, on the state that readers see. */
    reading: <T>(run: () => T, isList: (result: T) => boolean): T => {
      const result = run()
      return lags.length === 0 ? result : showing(longest(isList(result) ? 'lists' : 'reads'), run, result)
    },
  }
}
/** Earlier states of a fake server. */
export type Replica = ReturnType<typeof createReplica>

/** Tracks a map, and returns it. */
export function trackMap<K, V>({ track }: Pick<Replica, 'track'>, map: Map<K, V>): Map<K, V> {
  track(() => {
    const entries = [...map]
    return () => {
      map.clear()
      for (const [key, value] of entries) map.set(key, value)
    }
  })
  return map
}

/** Tracks a set, and returns it. */
export function trackSet<T>({ track }: Pick<Replica, 'track'>, set: Set<T>): Set<T> {
  track(() => {
    const values = [...set]
    return () => {
      set.clear()
      for (const value of values) set.add(value)
    }
  })
  return set
}
