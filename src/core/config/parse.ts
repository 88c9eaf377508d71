import type { z } from 'zod'
import { isPlainObject } from './env.ts'
import type { ConfigKey } from './keys.ts'
import { findNearest } from './nearest.ts'
import type { Problems } from './problems.ts'
import { type Branch, findNode, toKey } from './resolve.ts'
import { findWrongName } from './wrong-names.ts'

/** Lets a parser report where a wrong value comes from. */
export interface ParseContext {
  readonly tree: Branch
  readonly problems: Problems
  readonly keys: () => readonly ConfigKey[]
  /** Keys that the environment could not fill, and that are already reported. */
  readonly failed: ReadonlySet<string>
  /** By key: the variables it was read from. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Prefixes of the providers' secrets. */
  readonly secretPrefixes: readonly string[]
}

/**
 * Parses one part of the configuration. Every issue becomes a problem, and the result is then undefined. A string that
 * reads as the required number or boolean is accepted, because the environment contains only strings.
 */
export async function parsePart<S extends z.ZodType>(
  schema: S,
  input: unknown,
  path: readonly string[],
  context: ParseContext,
): Promise<z.output<S> | undefined> {
  const first = await schema.safeParseAsync(input, { error: toWords })
  if (first.success) return first.data
  const isCoerced = first.error.issues.map((issue) => coerceAt(input, issue)).includes(true)
  const parsed = isCoerced ? await schema.safeParseAsync(input, { error: toWords }) : first
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) reportIssue(issue, path, input, context)
  return undefined
}

/** Converts "60" to 60 and "true" to true where the issue requires it. `input` is the loader's own copy. */
function coerceAt(input: unknown, issue: z.core.$ZodIssue): boolean {
  const parent = valueAt(input, issue.path.slice(0, -1))
  const last = issue.path.at(-1)
  if (last === undefined || !(isPlainObject(parent) || Array.isArray(parent))) return false
  const holder = parent as Record<PropertyKey, unknown>
  const value = holder[last]
  if (typeof value !== 'string') return false
  const isNumber = /^-?\d+(\.\d+)?$/.test(value)
  const isTruth = value === 'true' || value === 'false'
  if (!isNumber && !isTruth) return false
  const expected = issue.code === 'invalid_type' ? String(issue.expected) : ''
  if (isNumber && (expected === 'number' || expected === 'int')) holder[last] = Number(value)
  else if (isTruth && expected === 'boolean') holder[last] = value === 'true'
  else return false
  return true
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, segment) =>
      (isPlainObject(at) || Array.isArray(at)) && Object.hasOwn(at, segment)
        ? (at as Record<PropertyKey, unknown>)[segment]
        : undefined,
    value,
  )
}

function reportIssue(
  issue: z.core.$ZodIssue,
  above: readonly string[],
  input: unknown,
  context: ParseContext,
): void {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) reportUnknown([...path, key], context)
    return
  }
  if (isBelowFailed(path, context.failed)) return
  const key = toKey(path)
  const variables = context.variables.get(toKey(path.filter((part) => typeof part !== 'number'))) ?? []
  const shown = toShown(key, valueAt(input, issue.path), context.secretPrefixes)
  const value =
    variables.length > 0
      ? `; it is set by ${variables.join(', ')}`
      : shown === undefined
        ? ''
        : `; it is ${shown}`
  const joint = /^(must|is|has|holds|needs|cannot|may) ?/.test(issue.message) ? ' ' : ': '
  context.problems.add(
    `${key}${joint}${issue.message}${value} (${placeOf(path, context)})`,
    key === 'membership.provider' && shown !== undefined
      ? `Write membership.provider.handler: ${shown}.`
      : undefined,
  )
}

/** Reports an unknown key, with the nearest known one. */
export function reportUnknown(path: readonly PropertyKey[], context: ParseContext): void {
  const key = toKey(path)
  const unknown = `Unknown key "${key}" (${placeOf(path, context)}).`
  const known = new Set(context.keys().map((item) => fillNames(item.key, key)))
  const wrong = findWrongName(key, known)
  const nearest = wrong ? undefined : nearestKey(path, context.keys(), belowProvider(path, context))
  const question = nearest ? ` Did you mean "${nearest}"?` : ''
  const fix = nearest
    ? `Rename "${key}" to "${nearest}".`
    : `Correct the name of "${key}", or remove it. docs/configuration.md has every key.`
  context.problems.add(`${unknown}${wrong ? ` ${wrong.text}` : question}`, wrong?.action ?? fix)
}

function nearestKey(
  path: readonly PropertyKey[],
  keys: readonly ConfigKey[],
  ofProviders: string | undefined,
): string | undefined {
  const key = toKey(path)
  const candidates = keys.map((known) => fillNames(known.key, key))
  const last = String(path.at(-1))
  const sameName = candidates.filter((known) => known.endsWith(`.${last}`) && !known.includes('{'))
  const isTop = path.length === 1
  return (
    (isTop ? sameName[0] : undefined) ??
    // The same word elsewhere is a better guess than a similar word.
    ofProviders ??
    nearSibling(candidates, key)
  )
}

/** Suggests the provider's key for one written beside the providers, such as `membership.plans`. */
function belowProvider(path: readonly PropertyKey[], { keys, tree }: ParseContext): string | undefined {
  const known = `membership.providers.{provider}.${String(path[0])}`
  if (path.length > 1 || !keys().some(({ key }) => key === known || key.startsWith(`${known}.`)))
    return undefined
  const providers = findNode(tree, ['providers'])
  const [first = '{provider}'] =
    providers.kind === 'branch' && providers !== tree ? providers.children.keys() : []
  return known.replace('{provider}', first)
}

/** Fills `{provider}`, `{plan}` and `[]` of a known key with the names in `like`. */
function fillNames(known: string, like: string): string {
  const names = like.split('.')
  return known
    .replaceAll('.[]', '[]')
    .split('.')
    .map((part, index) => {
      if (part.startsWith('{')) return names[index] ?? part
      const position = /\[\d+\]$/.exec(names[index] ?? '')?.[0]
      return part.endsWith('[]') && position ? part.replace('[]', position) : part
    })
    .join('.')
}

/** The key beside it whose last part is near. Whole keys would be near by the group that they share. */
function nearSibling(candidates: readonly string[], key: string): string | undefined {
  const above = key.slice(0, key.lastIndexOf('.') + 1)
  const names = candidates.flatMap((known) => (known.startsWith(above) ? known.slice(above.length) : []))
  const nearest = findNearest(
    key.slice(above.length),
    names.filter((name) => !name.includes('.')),
  )
  return nearest === undefined ? undefined : `${above}${nearest}`
}

function isBelowFailed(path: readonly PropertyKey[], failed: ReadonlySet<string>): boolean {
  return path.some((_, index) => failed.has(toKey(path.slice(0, index + 1))))
}

/** The source that a message about `path` should name. */
export function placeOf(path: readonly PropertyKey[], { tree }: Pick<ParseContext, 'tree'>): string {
  return findNode(tree, path).source
}

/**
 * Words what a schema requires, as text that follows the key: `must be a whole number`. A message of the schema itself
 * takes precedence.
 */
function toWords(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'custom') return 'is missing'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'too_small':
      return `must ${bound(issue.origin, Number(issue.minimum), issue.inclusive ? 'at least' : 'more than')}`
    case 'too_big':
      return `must ${bound(issue.origin, Number(issue.maximum), issue.inclusive ? 'at most' : 'less than')}`
    case 'invalid_value':
      return `must be ${issue.values.map((value: unknown) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_format':
      return issue.format === 'url' ? 'must be a full address' : `must be a valid ${issue.format}`
    default:
      return 'is not understood'
  }
}

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of keys',
  record: 'a group of keys',
  function: 'a function',
}

function bound(origin: string, limit: number, relation: string): string {
  if (origin === 'string') return limit === 1 ? 'not be empty' : `have ${relation} ${limit} characters`
  if (origin === 'array' || origin === 'set') return `have ${relation} ${limit} entries`
  return `be ${relation} ${limit}`
}

/**
 * A value as messages may show it; undefined for secrets and everything that looks like one. That covers a provider's
 * secret prefix, a named mode, and an address with a password.
 */
function toShown(key: string, value: unknown, secretPrefixes: readonly string[]): string | undefined {
  if (value === undefined || isSecretKey(key)) return undefined
  if (typeof value === 'string')
    return looksSecret(value, secretPrefixes) ? undefined : JSON.stringify(shorten(value))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'a group of keys' : String(value)
}

function shorten(value: string): string {
  return value.length > 60 ? `${value.slice(0, 57)}…` : value
}

// membership.database.url contains the database's password.
function isSecretKey(key: string): boolean {
  return (
    key === 'membership.database.url' ||
    (key
      .split('.')
      .some((part) => /(secret|password|token|webhook|credential|_key$|^key$|^auth$|_auth$)/i.test(part)) &&
      !key.startsWith('membership.webhooks.') &&
      key !== 'membership.ratelimit.webhooks')
  )
}

function looksSecret(value: string, prefixes: readonly string[]): boolean {
  return (
    prefixes.some((prefix) => value.startsWith(prefix)) ||
    /^(?:[a-z]+_)*(?:live|test)_|:\/\/[^/]*@/.test(value)
  )
}
