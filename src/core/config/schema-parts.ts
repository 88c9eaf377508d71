import { z } from 'zod'
import { durationPattern, durationSeconds } from '../duration.ts'

/** A group of keys that has its defaults even if it is not given. */
export function section<S extends z.core.$ZodLooseShape>(description: string, shape: S) {
  return z
    .strictObject(shape, { error: groupWords })
    .prefault({} as never)
    .describe(description)
}

/** The message for a value that should be a group of keys. */
export function groupWords(issue: { code?: string }) {
  return issue.code === 'invalid_type' ? 'must be a group of keys' : undefined
}

/** A non-empty string. */
export function text(words = 'must be text') {
  return z.string({ error: words }).min(1, words)
}
/** A path of the site. */
export function path() {
  return text('must be a path of the site, such as /account').regex(
    /^\/(?![/\\])[^\\\p{Cc}\s]*$/u,
    'must be a path of the site, such as /account',
  )
}
/** A whole number of at least `min`. */
export function wholeNumber(min: number, words: string) {
  return z.int({ error: words }).min(min, words)
}
/** A whole number above 0. */
export function count() {
  return wholeNumber(1, 'must be a whole number above 0')
}
/** true or false. */
export function flag() {
  return z.boolean({ error: 'must be true or false' })
}

const secondsIn = { seconds: 1, minutes: 60, days: 86_400 } as const
const examples = { seconds: '2m', minutes: '20m', days: '2w' } as const

/**
 * A time: a whole number in the unit of the key's name, or text with its own unit, such as `20m` (s, m, h, d, w).
 * Returns the number in the unit of the key's name.
 */
export function time(
  unit: keyof typeof secondsIn,
  { min, max = Number.MAX_SAFE_INTEGER, why = '' }: { min: 0 | 1; max?: number; why?: string },
) {
  const least = min === 0 ? `${unit}, 0 or more` : `${unit} above 0`
  const most = max === Number.MAX_SAFE_INTEGER ? '' : `, at most ${max}${why}`
  const words = `must be a whole number of ${least}${most}, or a time of whole ${unit} such as "${examples[unit]}" (units s, m, h, d, w)`
  return z
    .union([z.int({ error: words }), z.string().regex(durationPattern, words)], { error: words })
    .transform((value, { issues }) => {
      const isBare = typeof value === 'number' || /^\d+$/.test(value)
      const count = isBare ? Number(value) : (durationSeconds(value) ?? Number.NaN) / secondsIn[unit]
      if (!Number.isSafeInteger(count) || count < min || count > max)
        issues.push({ code: 'custom', message: words, input: value })
      return count
    })
}
