import type { z } from 'zod'

/**
 * Words what a schema requires, as text that follows the key: `must be a whole number`. A message of the schema itself
 * takes precedence.
 */
export const toWords = (issue: z.core.$ZodRawIssue): string => {
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

const bound = (origin: string, limit: number, relation: string): string => {
  if (origin === 'string') return limit === 1 ? 'not be empty' : `have ${relation} ${limit} characters`
  if (origin === 'array' || origin === 'set') return `have ${relation} ${limit} entries`
  return `be ${relation} ${limit}`
}

/**
 * A value as messages may show it; undefined for secrets and everything that looks like one. That covers a provider's
 * secret prefix, a named mode, and an address with a password.
 */
export const toShown = (
  key: string,
  value: unknown,
  secretPrefixes: readonly string[],
): string | undefined => {
  if (value === undefined || isSecretKey(key)) return undefined
  if (typeof value === 'string')
    return looksSecret(value, secretPrefixes) ? undefined : JSON.stringify(shorten(value))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'a group of keys' : String(value)
}

const shorten = (value: string): string => (value.length > 60 ? `${value.slice(0, 57)}…` : value)

// membership.database.url contains the database's password.
const isSecretKey = (key: string): boolean =>
  key === 'membership.database.url' ||
  (key
    .split('.')
    .some((part) => /(secret|password|token|webhook|credential|_key$|^key$|^auth$|_auth$)/i.test(part)) &&
    !key.startsWith('membership.webhooks.') &&
    key !== 'membership.ratelimit.webhooks')

const looksSecret = (value: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => value.startsWith(prefix)) || /^(?:[a-z]+_)*(?:live|test)_|:\/\/[^/]*@/.test(value)
