import type { DefinitionLike } from './definitions.ts'
import { shapeOf } from './keys.ts'
import { findNearest } from './nearest.ts'
import { type ParseContext, parsePart, placeOf, reportUnknown } from './parse.ts'
import { type ProviderConfig, providerSchema, toProviderConfig } from './provider.ts'
import { findNode, toKey } from './resolve.ts'
import type { PlansByProvider } from './site-plans.ts'

/** Parses `membership.providers`: shared keys with the core's schema, the others with the provider's own. */
export async function parseProviders(
  inputs: unknown,
  definitions: readonly DefinitionLike[],
  sitePlans: PlansByProvider,
  context: ParseContext,
): Promise<Record<string, ProviderConfig>> {
  const providers: Record<string, ProviderConfig> = {}
  for (const [key, input] of Object.entries(asGroup(inputs, ['providers'], context))) {
    const definition = definitions.find((known) => known.key === key)
    if (!definition) {
      reportUnknownProvider(key, definitions, context)
      continue
    }
    const group = withSitePlans(asGroup(input, ['providers', key], context), ['providers', key, 'plans'], {
      sitePlans: sitePlans.get(key),
      context,
    })
    const config = await parseProvider(definition, group, context)
    if (config) providers[key] = config
  }
  return providers
}

/** Adds the site's plans to those of the provider. */
function withSitePlans(
  input: Record<string, unknown>,
  path: readonly string[],
  { sitePlans, context }: { sitePlans: Readonly<Record<string, unknown>> | undefined; context: ParseContext },
): Record<string, unknown> {
  if (sitePlans === undefined) return input
  const own = asGroup(input.plans, path, context)
  for (const id of Object.keys(own).filter((id) => Object.hasOwn(sitePlans, id)))
    context.problems.add(
      `${toKey(['plans', id])} and ${toKey([...path, id])} are both given (${placeOf(['plans', id], context)}, ${placeOf([...path, id], context)})`,
      `Keep ${toKey(['plans', id])}, with the prices of both.`,
    )
  return { ...input, plans: { ...own, ...sitePlans } }
}

function asGroup(input: unknown, path: readonly string[], context: ParseContext): Record<string, unknown> {
  if (findNode(context.tree, path).kind === 'branch' || input === undefined)
    return (input ?? {}) as Record<string, unknown>
  if (typeof input === 'object' && input !== null && Object.keys(input).length === 0) return {}
  context.problems.add(`${toKey(path)} must be a group of keys (${placeOf(path, context)})`)
  return {}
}

async function parseProvider(
  definition: DefinitionLike,
  input: Record<string, unknown>,
  context: ParseContext,
): Promise<ProviderConfig | undefined> {
  const path = ['providers', definition.key]
  const isShared = ([name]: [string, unknown]) => Object.hasOwn(providerSchema.shape, name)
  const entries = Object.entries(input)
  const own = Object.fromEntries(entries.filter((entry) => !isShared(entry)))
  reportDropped(definition, own, path, context)
  const shared = await parsePart(providerSchema, Object.fromEntries(entries.filter(isShared)), path, context)
  const before = context.problems.count
  const options: unknown = await parsePart(definition.options, own, path, context)
  if (!shared || context.problems.count > before) return undefined
  return toProviderConfig(definition.key, shared, options)
}

/** Reports unknown keys as errors, because an object schema of zod drops them silently. */
function reportDropped(
  definition: DefinitionLike,
  own: Record<string, unknown>,
  path: readonly string[],
  context: ParseContext,
): void {
  const shape = shapeOf(definition.options)
  if (!shape?.dropsUnknown) return
  for (const key of Object.keys(own)) {
    if (Object.hasOwn(shape.shape, key)) continue
    reportUnknown([...path, key], context)
  }
}

function reportUnknownProvider(
  key: string,
  definitions: readonly DefinitionLike[],
  context: ParseContext,
): void {
  const known = definitions.map((definition) => definition.key)
  const nearest = findNearest(key, known)
  const path = ['providers', key]
  context.problems.add(
    `There is no provider "${key}": unknown key "${toKey(path)}" (${placeOf(path, context)}). Providers: ${known.join(', ') || 'none'}.${nearest ? ` Did you mean "${toKey(['providers', nearest])}"?` : ''}`,
    'Correct the name, or give a provider of your own as membership.provider.handler.',
  )
}
