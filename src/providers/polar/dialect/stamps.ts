import type { MerchantClock } from '../../../merchant/index.ts'

/** Moments with microseconds, of which no two are the same and the later is greater. */
export const createStamps = (clock: Pick<MerchantClock, 'seconds'>) => {
  let second = 0
  let count = 0
  const firsts = new Map<string, string>()
  const lasts = new Map<string, string>()
  const next = (): string => {
    count = clock.seconds() === second ? count + 1 : 1
    second = clock.seconds()
    return `${new Date(second * 1000).toISOString().slice(0, 19)}.${String(count).padStart(6, '0')}Z`
  }
  return {
    next,
    /** It changed now. */
    set: (id: string): void => {
      const stamp = next()
      lasts.set(id, stamp)
      if (!firsts.has(id)) firsts.set(id, stamp)
    },
    first: (id: string): string => firsts.get(id) ?? '',
    last: (id: string): string => lasts.get(id) ?? '',
  }
}

/** Unix seconds as Paddle writes them. */
export const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
/** The same for what may be missing. */
export const isoOrNull = (seconds: number | null): string | null => (seconds === null ? null : iso(seconds))
