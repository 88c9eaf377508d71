import { z } from 'zod'

/** A group of keys that has its defaults even if it is not given. */
export const section = <S extends z.core.$ZodLooseShape>(description: string, shape: S) =>
  z
    .strictObject(shape, { error: groupWords })
    .prefault({} as never)
    .describe(description)

/** The message for a value that should be a group of keys. */
export const groupWords = (issue: { code?: string }) =>
  issue.code === 'invalid_type' ? 'must be a group of keys' : undefined

/** A non-empty string. */
export const text = (words = 'must be text') => z.string({ error: words }).min(1, words)
/** A path of the site. */
export const path = () =>
  text('must be a path of the site, such as /account').regex(
    /^\/(?![/\\])[^\\\p{Cc}\s]*$/u,
    'must be a path of the site, such as /account',
  )
/** A whole number of at least `min`. */
export const wholeNumber = (min: number, words: string) => z.int({ error: words }).min(min, words)
/** A whole number above 0. */
export const count = () => wholeNumber(1, 'must be a whole number above 0')
/** true or false. */
export const flag = () => z.boolean({ error: 'must be true or false' })
