import { z } from 'zod'

/** A group of keys that is there with its defaults when nobody gives it. */
export const section = <S extends z.core.$ZodLooseShape>(description: string, shape: S) =>
  z
    .strictObject(shape, { error: groupWords })
    .prefault({} as never)
    .describe(description)

/** The message for a group of keys that is none. */
export const groupWords = (issue: { code?: string }) =>
  issue.code === 'invalid_type' ? 'must be a group of keys' : undefined

/** Text that is not empty. */
export const text = (words = 'must be text') => z.string({ error: words }).min(1, words)
/** A path of the site. */
export const path = () =>
  text('must be a path of the site, such as /account').regex(
    /^\/(?![/\\])[^\\\p{Cc}\s]*$/u,
    'must be a path of the site, such as /account',
  )
/** A whole number from `min` on. */
export const wholeNumber = (min: number, words: string) => z.int({ error: words }).min(min, words)
/** A whole number above 0. */
export const count = () => wholeNumber(1, 'must be a whole number above 0')
/** true or false. */
export const flag = () => z.boolean({ error: 'must be true or false' })
