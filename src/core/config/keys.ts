import type { z } from 'zod'
import type { DefinitionLike } from './definitions.ts'
import { sitePlanSchema } from './plan-config.ts'
import { providerSchema } from './provider.ts'
import { coreSchema } from './schema.ts'

/** One key of the reference, such as `membership.ratelimit.limit`. */
export interface ConfigKey {
  readonly key: string
  readonly description: string
  /** undefined without a default. */
  readonly default: unknown
  /** True if it contains other keys. */
  readonly isSection: boolean
}

/** The group whose keys are names that the site chooses → what stands for such a name. */
const placeholders: Readonly<Record<string, string>> = {
  features: '{feature}',
  limits: '{limit}',
  plans: '{plan}',
  words: '{language}',
}

/** Lists every key, including those of the given providers. `{provider}`, `{plan}` and others stand for names. */
export function configKeys(definitions: readonly DefinitionLike[] = []): ConfigKey[] {
  return [
    ...walk(coreSchema, ['membership']),
    { key: 'membership.providers', description: 'The providers by key.', default: {}, isSection: true },
    {
      key: 'membership.plans',
      description: 'Plans by id: named groups of prices.',
      default: {},
      isSection: true,
    },
    ...walk(sitePlanSchema(), ['membership', 'plans', '{plan}']),
    ...walk(providerSchema, ['membership', 'providers', '{provider}']),
    ...definitions.flatMap((definition) =>
      walk(definition.options, ['membership', 'providers', definition.key]),
    ),
  ]
}

/** True if a key is allowed directly below `membership`. */
export function isTopKey(name: string): boolean {
  return name === 'providers' || name === 'plans' || Object.hasOwn(coreSchema.shape, name)
}

function walk(schema: z.core.$ZodType, path: readonly string[]): ConfigKey[] {
  return Object.entries(shapeOf(schema)?.shape ?? {}).flatMap(([name, inner]) => {
    const below = [...path, name]
    const unwrapped = unwrap(inner)
    const wildcard = unwrapped.wildcard.map((part) =>
      part === '{}' ? (placeholders[name] ?? '{name}') : part,
    )
    const children = walk(unwrapped.schema, [...below, ...wildcard])
    const entry = {
      key: below.join('.'),
      description: unwrapped.description ?? '',
      default: unwrapped.fallback,
      isSection: children.length > 0,
    }
    return [entry, ...children]
  })
}

/**
 * The parts of a zod schema read here. They are read by structure and not by `instanceof`, because a site's provider
 * may bring its own copy of zod.
 */
interface Def {
  readonly type: string
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly out?: z.core.$ZodType
  readonly element?: z.core.$ZodType
  readonly valueType?: z.core.$ZodType
  readonly shape?: Record<string, z.core.$ZodType>
  readonly catchall?: z.core.$ZodType
  readonly defaultValue?: unknown
}

function defOf(schema: z.core.$ZodType): Def {
  return schema._zod.def as unknown as Def
}

interface Unwrapped {
  readonly schema: z.core.$ZodType
  readonly description: string | undefined
  readonly fallback: unknown
  /** Path segments for names (`{}`) or list positions (`[]`). */
  readonly wildcard: readonly string[]
}

/** Unwraps defaults, nullability, transforms, lists and records down to the schema with the keys. */
function unwrap(schema: z.core.$ZodType): Unwrapped {
  const def = defOf(schema)
  const description = 'description' in schema ? (schema.description as string | undefined) : undefined
  const next = nextOf(def)
  if (!next) return { schema, description, fallback: undefined, wildcard: [] }
  const inner = unwrap(next)
  const own = def.type === 'array' ? ['[]'] : def.type === 'record' ? ['{}'] : []
  const isValue = own.length > 0
  return {
    schema: inner.schema,
    description: description ?? (isValue ? undefined : inner.description),
    fallback: hasFallback(def) ? def.defaultValue : isValue ? undefined : inner.fallback,
    wildcard: [...own, ...inner.wildcard],
  }
}

// A group of keys that exists without being given has no default value of its own.
function hasFallback({ type, defaultValue }: Def): boolean {
  return type === 'default' || (type === 'prefault' && typeof defaultValue !== 'object')
}

function nextOf(def: Def): z.core.$ZodType | undefined {
  if (def.type === 'pipe') return def.in && defOf(def.in).type === 'transform' ? def.out : def.in
  if (def.type === 'array') return def.element
  if (def.type === 'record') return def.valueType
  return def.innerType
}

/** Returns an object schema's keys, and whether it silently drops unknown ones; undefined for other schemas. */
export function shapeOf(
  schema: z.core.$ZodType,
): { shape: Record<string, z.core.$ZodType>; dropsUnknown: boolean } | undefined {
  const inner = unwrap(schema)
  const def = defOf(inner.schema)
  return def.type === 'object' && def.shape && inner.wildcard.length === 0
    ? { shape: def.shape, dropsUnknown: def.catchall === undefined }
    : undefined
}
