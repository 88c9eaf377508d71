import { findNearest } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'

/** The keys of a call's input, all of them: a key that the type gains and the list lacks does not compile. */
type KeysOf<Input> = Readonly<Record<Input extends unknown ? keyof Input & string : never, true>>

/**
 * Lets a call take one object with known keys alone, in camelCase or snake_case. A misspelt key would be ignored
 * otherwise, and access without its end lasts for ever.
 * @throws ERR_USAGE for anything else, with the nearest known key
 */
export const strictly =
  <Input extends object, Rest extends unknown[], Out>(
    name: string,
    keys: KeysOf<Input>,
    call: (input: Input, ...rest: Rest) => Promise<Out>,
  ): ((input: Input, ...rest: Rest) => Promise<Out>) =>
  async (input, ...rest) =>
    call(checked(name, Object.keys(keys), input) as Input, ...rest)

const checked = (name: string, known: readonly string[], input: unknown): object => {
  const takes = `m.${name}({ ${known.join(', ')} })`
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new MembershipError(
      'ERR_USAGE',
      `m.${name}() takes one object with keys, and got ${kindOf(input)}.`,
      {
        action: `Write ${takes}, with the keys that you need.`,
      },
    )
  const written = new Map<string, string>()
  for (const key of Object.keys(input)) {
    const meant = known.includes(key) ? key : inCamelCase(key)
    if (!known.includes(meant)) {
      const nearest = findNearest(meant, known)
      throw new MembershipError('ERR_USAGE', `m.${name}() does not know the key "${key}".`, {
        action: nearest ? `Did you mean "${nearest}"?` : `It takes ${takes}.`,
      })
    }
    const other = written.get(meant)
    if (other !== undefined)
      throw new MembershipError('ERR_USAGE', `m.${name}() got "${other}" and "${key}", which are one key.`, {
        action: `Keep "${meant}".`,
      })
    written.set(meant, key)
  }
  const isPlain = [...written].every(([meant, key]) => meant === key)
  if (isPlain) return input
  return Object.fromEntries(
    [...written].map(([meant, key]) => [meant, (input as Record<string, unknown>)[key]]),
  )
}

const inCamelCase = (key: string): string =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const kindOf = (input: unknown): string => {
  if (input === null || input === undefined) return 'nothing'
  if (Array.isArray(input)) return 'a list'
  return typeof input === 'string' ? 'a text' : `a ${typeof input}`
}
