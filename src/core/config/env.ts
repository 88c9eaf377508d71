import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

const brand = Symbol.for('membership.env')

/** Stands for an environment variable until the configuration is loaded. */
export interface EnvReference {
  readonly [brand]: true
  readonly name: string
  readonly fallback: string | undefined
}

/** A configuration value that is read from the environment when the configuration is loaded; an unset or empty
 *  variable gives `fallback`, and without one the start stops. A site reads no `.env` file by itself: `node --env-file=.env`;
 *  the commands of `membership` do. */
export const env = (name: string, fallback?: string): EnvReference =>
  Object.freeze({ [brand]: true as const, name, fallback })

/** True for what `env()` returned, also when the package was loaded twice. */
export const isEnvReference = (value: unknown): value is EnvReference =>
  typeof value === 'object' && value !== null && brand in value

/** The result of reading one value from the environment. */
export interface Resolved {
  readonly value: unknown
  /** The variables that took part. */
  readonly names: readonly string[]
  readonly missing: readonly string[]
  /** Holds a `${` that is no reference. */
  readonly isMalformed: boolean
}

/** The variables that values are read from; the process's own, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Replaces `env()` and `${NAME}` in a value, inside lists and their objects too; the value given stays untouched. */
export const resolveEnv = (value: unknown, environment: Environment): Resolved => {
  const names: string[] = []
  const missing: string[] = []
  let isMalformed = false

  const read = (
    name: string,
    fallback: string | undefined,
    readFallback = (text: string) => text,
  ): string => {
    names.push(name)
    const found = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (found) return found
    if (fallback === undefined) missing.push(name)
    return readFallback(fallback ?? '')
  }
  const interpolate = (text: string): string =>
    text.replace(reference, (match, name: string | undefined, fallback: string | undefined) => {
      if (match === '$${') return '${'
      if (name !== undefined) return read(name, fallback, interpolate)
      isMalformed = true
      return match
    })
  const visit = (inner: unknown): unknown => {
    if (typeof inner === 'string') return interpolate(inner)
    if (isEnvReference(inner)) return read(inner.name, inner.fallback)
    if (Array.isArray(inner)) return inner.map(visit)
    if (isPlainObject(inner))
      return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, visit(item)]))
    return inner
  }
  return { value: visit(value), names, missing, isMalformed }
}

// `$${` first, so that it escapes; `${` alone last, so that a misspelled reference is noticed. A default may hold references,
// as in a shell: `${SITE_URL:-http://localhost:${PORT:-3000}}`.
const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:\$\{[^{}]*\}|[^}])*))?\}|\$\{/g

/** True for object literals and what YAML and JSON give; false for lists, class instances and `env()`. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || isEnvReference(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Another realm's Object.prototype counts too: its own prototype is null.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Sets the variables of a folder's `.env` that the process does not have yet. Commands need them where the site is started
 *  with `node --env-file=.env`. */
export function readEnvFile(folder: string): void {
  const file = join(folder, '.env')
  if (!existsSync(file)) return
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8'))))
    process.env[name] ??= value
}
