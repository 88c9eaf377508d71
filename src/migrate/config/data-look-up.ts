import { providers } from '../../providers/index.ts'
import { inUse, legacyProvider } from '../legacy-provider.ts'
import { dotted } from './keys.ts'

/** A configuration as plain data. */
export type Data = Readonly<Record<string, unknown>>

/** The provider that a configuration of version 1 has. */
export const legacyIn = (v1: Data, prefix: readonly string[]): string => {
  const found = providers
    .map(({ key }) => key)
    .filter((key) => {
      const path = [...prefix, key]
      return lookUpData(v1, path) !== undefined || hasBelow(v1, path)
    })
  const current = lookUpData(v1, [...prefix, 'provider', 'current'])
  return inUse(found, typeof current === 'string' ? current : null) ?? legacyProvider
}

/** The dotted look-up on plain data: the exact key, the longest dotted prefix that holds an object, nested objects. */
export const lookUpData = (map: Data, path: readonly string[]): unknown => {
  if (Object.hasOwn(map, dotted(path))) return map[dotted(path)]
  for (let length = path.length - 1; length > 0; length--) {
    const value = Object.hasOwn(map, dotted(path.slice(0, length)))
      ? map[dotted(path.slice(0, length))]
      : undefined
    if (isData(value)) return lookUpData(value, path.slice(length))
  }
  return undefined
}

/** True where anything is written below a path, in keys that are dotted or nested. */
export const hasBelow = (map: Data, path: readonly string[]): boolean =>
  Object.entries(map).some(([key, value]) => {
    const target = dotted(path)
    if (`${key}.`.startsWith(`${target}.`)) return true
    return (
      isData(value) &&
      target.startsWith(`${key}.`) &&
      hasBelow(value, target.slice(key.length + 1).split('.'))
    )
  })

/** True for a map of keys, and false for an object of a class. */
export const isData = (value: unknown): value is Data =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as never)

/** True for two values that say the same. */
export const isEqual = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((v, i) => isEqual(v, b[i]))
  if (!isData(a) || !isData(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isEqual(a[key], b[key]))
}
