import { isEnvReference } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { providers } from '../../providers/index.ts'
import { inUse, legacyProvider } from '../legacy-provider.ts'
import type { SiteFacts } from '../plan.ts'
import { dotted, prefixOf, renameKey, toV2Path } from './keys.ts'

/** A note about a configuration for the site's owner: a decision or information. */
export interface ConfigNote {
  /** Code as in the plan of a site: `both-forms-differ`, `role-not-literal`, `confirm-handler`, … */
  readonly code: string
  /** The v1 key. */
  readonly key: string
  readonly reason: string
}

/**
 * Converts a v1 configuration to v2, as data. Keys may be dotted, nested or mixed; values are moved
 * unchanged, functions included. The given object stays unchanged.
 * @throws ERR_USAGE for anything but an object
 */
export function migrateConfig(
  v1: unknown,
  options: Partial<SiteFacts> = {},
): { config: Record<string, unknown>; notes: readonly ConfigNote[] } {
  if (!isData(v1))
    throw new MembershipError('ERR_USAGE', 'migrateConfig takes the configuration as an object.')
  const prefix = options.prefix ?? 'membership'
  const provider = options.provider ?? legacyIn(v1, prefix.split('.'))
  const facts = { provider, prefix, field: options.field ?? provider }
  const notes: ConfigNote[] = []
  const config = moved(v1, [], { facts, notes, whole: v1 })
  addHandler(v1, config, facts)
  restoreCovered(v1, config, facts)
  return { config, notes }
}

interface Context {
  readonly facts: SiteFacts
  readonly notes: ConfigNote[]
  readonly whole: Data
}

function moved(map: Data, above: readonly string[], context: Context): Record<string, unknown> {
  const { facts } = context
  const out: Record<string, unknown> = {}
  // Keys that stay come first, so that a provider finds the map it belongs to.
  const staying = Object.entries(map).filter(([key]) => !isHeld(above, key, facts))
  for (const [key, value] of staying)
    put(
      out,
      key,
      isData(value) && canHold(above, key, facts)
        ? moved(value, [...above, ...key.split('.')], context)
        : value,
    )
  for (const [key, value] of Object.entries(map))
    if (isHeld(above, key, facts)) place(out, above, key, value, context)
  for (const [key, value] of staying) splitRole(out, above, key, value, context)
  return out
}

function isHeld(above: readonly string[], key: string, facts: SiteFacts): boolean {
  const renamed = renameKey(above, key.split('.'), facts)
  return renamed !== null && !renamed.isSplit
}

// Only maps on the path to a v1 key are searched.
function canHold(above: readonly string[], key: string, facts: SiteFacts): boolean {
  const path = [...above, ...key.split('.')]
  const prefix = prefixOf(facts)
  return path.every((segment, i) => i >= prefix.length || segment === prefix[i])
}

function place(
  out: Record<string, unknown>,
  above: readonly string[],
  key: string,
  value: unknown,
  { facts, notes, whole }: Context,
): void {
  const segments = key.split('.')
  const path = [...above, ...segments]
  const renamed = renameKey(above, segments, facts)!
  const [v1, v2] = [dotted(path), dotted(toV2Path(path, facts))]
  const known = lookUpData(whole, v2.split('.'))
  const next = renamed.rule === 'role' ? toRoles(value) : value
  if (
    next === undefined ||
    (known !== undefined && !isEqual(known, next) && !(isData(known) && isData(next)))
  ) {
    put(out, key, value)
    notes.push(next === undefined ? roleNote(v1, v2) : bothNote(v1, v2))
    return
  }
  if (renamed.rule === 'current')
    notes.push({
      code: 'confirm-handler',
      key: v1,
      reason: `Make sure that the class or key exists in version 2; it is "${v2}" now.`,
    })
  if (known !== undefined && isEqual(known, next)) return
  const above2 = dotted(renamed.segments.slice(0, -1))
  const home = out[above2]
  const isWhole = renamed.rule === 'provider' && renamed.segments.at(-1) === facts.provider
  const [name, container] = isWhole && isData(home) ? [facts.provider, home] : [dotted(renamed.segments), out]
  const own = container[name]
  const clash = isData(own) && isData(next) ? clashOf(own, next) : undefined
  if (clash !== undefined) {
    put(out, key, value)
    notes.push(bothNote(`${v1}.${clash}`, `${v2}.${clash}`))
    return
  }
  const merged = isData(own) && isData(next) ? { ...next, ...own } : next
  if (container === out) put(out, name, merged)
  else put(out, above2, { ...container, [name]: merged })
}

function clashOf(own: Data, next: Data): string | undefined {
  return Object.keys(next).find((key) => Object.hasOwn(own, key) && !isEqual(own[key], next[key]))
}

// `__proto__` is data here, never the object's own prototype.
function put(out: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(out, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Converts `manageUsers: { role }` to `members: { roles }`; other entries stay. */
function splitRole(
  out: Record<string, unknown>,
  above: readonly string[],
  key: string,
  value: unknown,
  { facts, notes, whole }: Context,
): void {
  const segments = key.split('.')
  const path = [...above, ...segments, 'role']
  if (!isData(value) || !('role' in value) || !renameKey([...above, ...segments], ['role'], facts)?.isSplit)
    return
  const [v1, v2] = [dotted(path), dotted(toV2Path(path, facts))]
  const roles = toRoles(value.role)
  const known = lookUpData(whole, v2.split('.'))
  if (roles === undefined || (known !== undefined && !isEqual(known, roles))) {
    notes.push(roles === undefined ? roleNote(v1, v2) : bothNote(v1, v2))
    return
  }
  const { role: _, ...rest } = value
  if (Object.keys(rest).length > 0) out[key] = rest
  else delete out[key]
  if (known === undefined) out[dotted([...segments.slice(0, -1), 'members', 'roles'])] = roles
}

function toRoles(value: unknown): unknown {
  if (Array.isArray(value)) return value
  return typeof value === 'string' || isEnvReference(value) ? [value] : undefined
}

function addHandler(v1: Data, config: Record<string, unknown>, facts: SiteFacts): void {
  const prefix = prefixOf(facts)
  const had =
    lookUpData(v1, [...prefix, facts.provider]) !== undefined || hasBelow(v1, [...prefix, facts.provider])
  const handler = [...prefix, 'provider', 'handler']
  const others = providersOf(config, [], [...prefix, 'providers'])
  if (had && others.size === 1 && lookUpData(config, handler) === undefined)
    config[dotted(handler)] = facts.provider
}

/**
 * Restores precedence. v1 forms that overrode each other may do so differently under their new names; the
 * value then gets its exact key, which every lookup finds first.
 */
function restoreCovered(v1: Data, config: Record<string, unknown>, facts: SiteFacts): void {
  for (const path of v1Paths(v1, [], facts)) {
    const [was, target] = [lookUpData(v1, path), toV2Path(path, facts)]
    const isLeft = lookUpData(v1, target) !== undefined || isEqual(lookUpData(config, path), was)
    const wanted = renameKey([], path, facts)?.rule === 'role' ? toRoles(was) : was
    if (was === undefined || isLeft || isEqual(lookUpData(config, target), wanted)) continue
    put(config, dotted(target), wanted)
  }
}

function v1Paths(map: Data, above: readonly string[], facts: SiteFacts): string[][] {
  return Object.entries(map).flatMap(([key, value]) => {
    const path = [...above, ...key.split('.')]
    const isV1 = renameKey([], path, facts) !== null && path.length > prefixOf(facts).length + 1
    const below = isData(value) ? v1Paths(value, path, facts) : []
    return isV1 ? [path, ...below] : below
  })
}

function providersOf(map: Data, above: readonly string[], target: readonly string[]): Set<string> {
  const found = new Set<string>()
  for (const [key, value] of Object.entries(map)) {
    const path = [...above, ...key.split('.')]
    if (!target.every((segment, i) => path[i] === undefined || path[i] === segment)) continue
    if (path.length > target.length) found.add(path[target.length]!)
    else if (isData(value)) for (const provider of providersOf(value, path, target)) found.add(provider)
  }
  return found
}

function roleNote(v1: string, v2: string): ConfigNote {
  return {
    code: 'role-not-literal',
    key: v1,
    reason: `"${v2}" is a list of roles. The value of "${v1}" is neither a text nor an env(), so it was left.`,
  }
}

function bothNote(v1: string, v2: string): ConfigNote {
  return {
    code: 'both-forms-differ',
    key: v1,
    reason: `"${v1}" and "${v2}" are both there with different values. Keep the right one under "${v2}".`,
  }
}

/** A configuration as plain data. */
type Data = Readonly<Record<string, unknown>>

/** Finds the provider of a version 1 configuration. */
function legacyIn(v1: Data, prefix: readonly string[]): string {
  const found = providers
    .map(({ key }) => key)
    .filter((key) => {
      const path = [...prefix, key]
      return lookUpData(v1, path) !== undefined || hasBelow(v1, path)
    })
  const current = lookUpData(v1, [...prefix, 'provider', 'current'])
  return inUse(found, typeof current === 'string' ? current : null) ?? legacyProvider
}

/**
 * Looks up a dotted path in plain data: the exact key, the longest dotted prefix with an object, nested
 * objects.
 */
export function lookUpData(map: Data, path: readonly string[]): unknown {
  if (Object.hasOwn(map, dotted(path))) return map[dotted(path)]
  for (let length = path.length - 1; length > 0; length--) {
    const value = Object.hasOwn(map, dotted(path.slice(0, length)))
      ? map[dotted(path.slice(0, length))]
      : undefined
    if (isData(value)) return lookUpData(value, path.slice(length))
  }
  return undefined
}

/** Returns true if anything is set below a path, in dotted or nested keys. */
function hasBelow(map: Data, path: readonly string[]): boolean {
  return Object.entries(map).some(([key, value]) => {
    const target = dotted(path)
    if (`${key}.`.startsWith(`${target}.`)) return true
    return (
      isData(value) &&
      target.startsWith(`${key}.`) &&
      hasBelow(value, target.slice(key.length + 1).split('.'))
    )
  })
}

/** Returns true for a map of keys, false for an instance of a class. */
function isData(value: unknown): value is Data {
  return (
    typeof value === 'object' &&
    value !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value) as never)
  )
}

/** Compares two values deeply. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((v, i) => isEqual(v, b[i]))
  if (!isData(a) || !isData(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isEqual(a[key], b[key]))
}
