import type { FakeClock } from './clock.ts'
import type { Store } from './store.ts'

export type Seconds = Pick<FakeClock, 'seconds'>

/** When each object was made and when it last changed. `next` writes a moment; it is told the one that the object had.
 *  `never` stands for what there is not. */
export const createStamps = <T extends string | number>(
  store: Pick<Store, 'onChange'>,
  never: T,
  next: (last: T | undefined) => T,
) => {
  const firsts = new Map<string, T>()
  const lasts = new Map<string, T>()
  /** It counts as changed now. */
  const touch = (id: string): void => {
    const stamp = next(lasts.get(id))
    lasts.set(id, stamp)
    if (!firsts.has(id)) firsts.set(id, stamp)
  }
  const lastOf = (id: string | null | undefined): T => (id ? (lasts.get(id) ?? never) : never)
  store.onChange(({ id }) => touch(id))
  return {
    touch,
    madeAt: (id: string): T => firsts.get(id) ?? never,
    /** The newest moment of these. */
    changedAt: (...ids: readonly (string | null | undefined)[]): T =>
      ids.map(lastOf).reduce((a, b) => (a > b ? a : b), never),
    byAge: (a: string, b: string): number => ((firsts.get(a) ?? never) < (firsts.get(b) ?? never) ? -1 : 1),
  }
}

/** Moments with microseconds, of which no two are the same and the later is greater. */
export const microseconds = (clock: Seconds): (() => string) => {
  let second = 0
  let count = 0
  return () => {
    count = clock.seconds() === second ? count + 1 : 1
    second = clock.seconds()
    return `${iso(second).slice(0, 19)}.${String(count).padStart(6, '0')}Z`
  }
}

/** Milliseconds, of which no two are the same and the later is greater. */
export const milliseconds = (clock: Seconds): (() => number) => {
  let last = 0
  return () => {
    last = Math.max(clock.seconds() * 1000, last + 1)
    return last
  }
}

/** Unix seconds as ISO 8601 without a fraction. */
export const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
/** The same for what may be missing. */
export const isoOrNull = (seconds: number | null): string | null => (seconds === null ? null : iso(seconds))
