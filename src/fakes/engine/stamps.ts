import type { FakeClock } from './clock.ts'
import { type Replica, trackMap } from './replica.ts'
import { type Tracking, trackValue } from './saving.ts'
import type { Store } from './store.ts'

export type Seconds = Pick<FakeClock, 'seconds'>

/**
 * Records when each object was created and last changed. `next` returns a moment, given the object's previous
 * one; `never` stands for no moment.
 */
export function createStamps<T extends string | number>(
  store: Pick<Store, 'onChange'>,
  never: T,
  next: (last: T | undefined) => T,
  replica: Replica,
) {
  const firsts = trackMap(replica, new Map<string, T>())
  const lasts = trackMap(replica, new Map<string, T>())
  const movedAt = trackMap(replica, new Map<string, number>())
  /** Marks an object as changed now. */
  const touch = (id: string): void => {
    replica.beforeChange()
    const before = movedAt.get(id)
    if (before !== undefined && replica.standsStill(before)) return
    const stamp = next(lasts.get(id))
    movedAt.set(id, replica.now())
    lasts.set(id, stamp)
    if (!firsts.has(id)) firsts.set(id, stamp)
  }
  const lastOf = (id: string | null | undefined): T => (id ? (lasts.get(id) ?? never) : never)
  store.onChange(({ id }) => touch(id))
  return {
    touch,
    madeAt: (id: string): T => firsts.get(id) ?? never,
    /** Returns the newest moment of several objects. */
    changedAt: (...ids: readonly (string | null | undefined)[]): T =>
      ids.map(lastOf).reduce((a, b) => (a > b ? a : b), never),
    byAge: (a: string, b: string): number => ((firsts.get(a) ?? never) < (firsts.get(b) ?? never) ? -1 : 1),
  }
}

/** Creates distinct, increasing moments with microseconds. */
export function microseconds(clock: Seconds, saving?: Tracking): () => string {
  let second = 0
  let count = 0
  trackValue(
    saving,
    () => ({ second, count }),
    (saved) => {
      ;({ second, count } = saved)
    },
  )
  return () => {
    count = clock.seconds() === second ? count + 1 : 1
    second = clock.seconds()
    return `${iso(second).slice(0, 19)}.${String(count).padStart(6, '0')}Z`
  }
}

/** Creates distinct, increasing milliseconds. */
export function milliseconds(clock: Seconds, saving?: Tracking): () => number {
  let last = 0
  trackValue(
    saving,
    () => last,
    (saved) => {
      last = saved
    },
  )
  return () => {
    last = Math.max(clock.seconds() * 1000, last + 1)
    return last
  }
}

/** Formats Unix seconds as ISO 8601 without a fraction. */
export function iso(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}
/** Formats seconds that may be missing. */
export function isoOrNull(seconds: number | null): string | null {
  return seconds === null ? null : iso(seconds)
}
