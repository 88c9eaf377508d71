import { invalid } from './errors.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Reads the parameters of one request. An invalid one becomes Stripe's error with its full name. undefined
 * means that it was not sent; an empty text removes a value.
 */
export interface Reader {
  raw(name: string): unknown
  /** Returns the full name of the parameter. */
  nameOf(name: string): string
  text(name: string): string | undefined
  int(name: string): number | undefined
  bool(name: string): boolean | undefined
  oneOf<T extends string>(name: string, words: readonly T[]): T | undefined
  isCleared(name: string): boolean
  required(name: string): string
  child(name: string): Reader
  children(name: string): Reader[]
  texts(name: string): string[] | undefined
  /** Removes empty keys; an empty text removes all. https://docs.stripe.com/api/metadata */
  metadata(name: string, before?: Record<string, string>): Record<string, string> | undefined
  /** @throws parameter_unknown for anything else */
  only(...names: readonly string[]): void
}

/** Reads nested parameters. `path` is the name of `given`; anything but an object has no parameters. */
export function createReader(given: unknown, path = ''): Reader {
  const params: Json = typeof given === 'object' && given !== null ? (given as Json) : {}
  const nameOf = (name: string): string => (path === '' ? name : `${path}[${name}]`)
  const raw = (name: string): unknown => (Object.hasOwn(params, name) ? params[name] : undefined)

  const text = (name: string): string | undefined => {
    const value = raw(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string') throw invalid('Invalid string', nameOf(name))
    if (value === '')
      throw invalid(
        `You passed an empty string for '${nameOf(name)}'. We assume empty values are an attempt to unset a parameter; however '${nameOf(name)}' cannot be unset.`,
        nameOf(name),
        'parameter_invalid_empty',
      )
    return value
  }
  const int = (name: string): number | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    if (!/^-?\d{1,15}$/.test(value))
      throw invalid(`Invalid integer: ${value}`, nameOf(name), 'parameter_invalid_integer')
    return Number(value)
  }
  const oneOf = <T extends string>(name: string, words: readonly T[]): T | undefined => {
    const value = text(name)
    const found = words.find((word) => word === value)
    if (value !== undefined && found === undefined)
      throw invalid(`Invalid ${nameOf(name)}: must be one of ${words.join(', ')}`, nameOf(name))
    return found
  }

  return {
    raw,
    nameOf,
    text,
    int,
    oneOf,
    isCleared: (name) => raw(name) === '',
    required: (name) => {
      const value = text(name)
      if (value === undefined)
        throw invalid(`Missing required param: ${nameOf(name)}.`, nameOf(name), 'parameter_missing')
      return value
    },
    bool: (name) => {
      const value = text(name)
      if (value === undefined) return undefined
      if (value !== 'true' && value !== 'false') throw invalid(`Invalid boolean: ${value}`, nameOf(name))
      return value === 'true'
    },
    child: (name) => createReader(raw(name), nameOf(name)),
    children: (name) => {
      const value = raw(name)
      if (value === undefined || value === '') return []
      if (!Array.isArray(value)) throw invalid('Invalid array', nameOf(name))
      return value.map((item, i) => createReader(item, `${nameOf(name)}[${i}]`))
    },
    texts: (name) => {
      const value = raw(name)
      if (value === undefined) return undefined
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        throw invalid('Invalid array', nameOf(name))
      return value
    },
    metadata: (name, before = {}) => {
      const value = raw(name)
      if (value === undefined) return undefined
      if (value === '') return {}
      if (typeof value !== 'object' || value === null) throw invalid('Invalid object', nameOf(name))
      const merged = { ...before, ...value } as Record<string, unknown>
      const entries = Object.entries(merged).filter(([, item]) => item !== '')
      for (const [key, item] of entries) checkMetadata(`${nameOf(name)}[${key}]`, key, item)
      if (entries.length > 50) throw invalid('You cannot have more than 50 metadata keys.', nameOf(name))
      return Object.fromEntries(entries) as Record<string, string>
    },
    only: (...names) => {
      const unknown = Object.keys(params).find((name) => !names.includes(name))
      if (unknown !== undefined)
        throw invalid(`Received unknown parameter: ${nameOf(unknown)}`, nameOf(unknown), 'parameter_unknown')
    },
  }
}
function checkMetadata(param: string, key: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid('Metadata values must be strings.', param)
  if (key.length > 40) throw invalid(`Metadata keys can have up to 40 characters: ${key}`, param)
  if (value.length > 500)
    throw invalid(
      `Metadata values can have up to 500 characters, but you passed in a value that is ${value.length} characters.`,
      param,
    )
}
