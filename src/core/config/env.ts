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

/**
 * A value from the environment, read when the configuration is loaded. An unset or empty variable gives `fallback`;
 * without one the start stops. A site does not read `.env` by itself (use `node --env-file=.env`); the `membership`
 * commands do.
 */
export function env(name: string, fallback?: string): EnvReference {
  return Object.freeze(new Reference(name, fallback))
}

// A class: frameworks such as Strapi copy the literals in a configuration, and lose their symbols.
class Reference implements EnvReference {
  readonly [brand] = true as const
  readonly name: string
  readonly fallback: string | undefined

  constructor(name: string, fallback: string | undefined) {
    this.name = name
    this.fallback = fallback
  }
}

/** True for a result of `env()`, even if the package was loaded twice. */
export function isEnvReference(value: unknown): value is EnvReference {
  return typeof value === 'object' && value !== null && brand in value
}

export interface Resolved {
  readonly value: unknown
  /** The variables used. */
  readonly names: readonly string[]
  readonly missing: readonly string[]
  /** True if it contains a `${` that is not a reference. */
  readonly isMalformed: boolean
}

/** The variables to read from: the process's own, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Replaces `env()` and `${NAME}` in a value, also inside lists and their objects. The given value is not changed. */
export function resolveEnv(value: unknown, environment: Environment): Resolved {
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

// `$${` comes first, because it escapes. A bare `${` comes last, to catch misspelled references. A default may contain
// references, as in a shell: `${SITE_URL:-http://localhost:${PORT:-3000}}`.
const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:\$\{[^{}]*\}|[^}])*))?\}|\$\{/g

/** True for object literals and for objects from YAML and JSON; false for lists, class instances and `env()`. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || isEnvReference(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Accepts another realm's Object.prototype: its own prototype is null.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Sets variables from a folder's `.env` that the process does not have yet. Commands need them where the site starts
 * with `node --env-file=.env`.
 */
export function readEnvFile(folder: string): void {
  const file = join(folder, '.env')
  if (!existsSync(file)) return
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8'))))
    process.env[name] ??= value
}
