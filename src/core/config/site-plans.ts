import { isPlainObject } from './env.ts'
import { findNearest } from './nearest.ts'
import { type ParseContext, parsePart, placeOf } from './parse.ts'
import { type SitePlanInput, sitePlanSchema } from './plan-config.ts'
import { type Branch, findNode, toKey } from './resolve.ts'

/** Plans as `membership.providers.{provider}.plans` takes them, by provider and id. */
export type PlansByProvider = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/**
 * Parses `membership.plans`, and gives each plan to the providers that sell it: those that its lists name, or every
 * configured one if it has no prices.
 */
export async function parseSitePlans(
  inputs: unknown,
  providers: readonly string[],
  context: ParseContext,
): Promise<PlansByProvider> {
  const found = new Map<string, Record<string, unknown>>()
  if (inputs === undefined) return found
  if (!isPlainObject(inputs)) {
    context.problems.add(`membership.plans must be a group of plans (${placeOf(['plans'], context)})`)
    return found
  }
  if (providers.length === 0 && Object.keys(inputs).length > 0)
    context.problems.add(
      `membership.plans has plans, and no provider is configured (${placeOf(['plans'], context)})`,
      'Configure a provider below membership.providers.',
    )
  for (const [id, given] of Object.entries(inputs)) {
    checkGroup(id, given, context)
    const plan = await parseSitePlan(id, given, context)
    if (plan === undefined || !checkProviders({ id, plan, providers, context })) continue
    for (const provider of providers)
      if (isSoldBy(provider, plan))
        found.set(provider, { ...found.get(provider), [id]: planAt(provider, plan) })
  }
  return found
}

/** Reports a plan with both names of its plan group. */
function checkGroup(id: string, given: unknown, context: ParseContext): void {
  if (!isPlainObject(given) || given.group === undefined || given.plan_group === undefined) return
  const [former, name] = [toKey(['plans', id, 'group']), toKey(['plans', id, 'plan_group'])]
  context.problems.add(
    `${former} and ${name} are the same key (${placeOf(['plans', id, 'group'], context)})`,
    `Keep ${name}.`,
  )
}

/** Says which plans of the site have their plan group under its former name; nothing where none has. */
export function findFormerNames(tree: Branch): string[] {
  const plans = findNode(tree, ['plans'])
  if (plans === tree || plans.kind !== 'branch') return []
  const former = [...plans.children].flatMap(([id, plan]) =>
    plan.kind === 'branch' && plan.children.has('group') ? [toKey(['plans', id, 'group'])] : [],
  )
  if (former.length === 0) return []
  const names = former.length === 1 ? `${former[0]} is` : `${former.join(', ')} are`
  return [`${names} called plan_group now. The former name works through 2.x.`]
}

async function parseSitePlan(
  id: string,
  given: unknown,
  context: ParseContext,
): Promise<SitePlanInput | undefined> {
  const path = ['plans', id]
  if (!isPlainObject(given) || !('features' in given))
    return parsePart(sitePlanSchema(isPlainObject(given) ? given : {}), given, path, context)
  const { features: _, ...rest } = given
  context.problems.add(
    `${toKey([...path, 'features'])} is called ${toKey([...path, 'lines'])} here (${placeOf([...path, 'features'], context)}): "lines" is what a pricing page lists, "opens" what the plan opens`,
    `Rename "features" to "lines", or to "opens" if it names features.`,
  )
  return parseSitePlan(id, rest, context)
}

interface Checked {
  readonly id: string
  readonly plan: SitePlanInput
  readonly providers: readonly string[]
  readonly context: ParseContext
}

/** Reports a list that names no provider where several are configured, and providers that are not. */
function checkProviders({ id, plan, providers, context }: Checked): boolean {
  const before = context.problems.count
  for (const name of ['prices', 'retired'] as const) {
    const path = ['plans', id, name]
    const list: unknown = plan[name]
    if (Array.isArray(list)) {
      const isPlain = list.some((item) => typeof item === 'string' || !isPlainObject(item.id))
      if (isPlain && providers.length > 1)
        context.problems.add(
          `${toKey(path)} is a plain list, and ${providers.length} providers are configured: ${providers.join(', ')} (${placeOf(path, context)})`,
          `Write a list for each provider: ${name}: { ${providers.map((provider) => `${provider}: […]`).join(', ')} }.`,
        )
    }
    for (const provider of providersIn(list)) {
      if (providers.includes(provider)) continue
      const nearest = findNearest(provider, providers)
      context.problems.add(
        `${toKey(path)} names "${provider}", which is not configured (${placeOf(path, context)}); configured: ${providers.join(', ') || 'none'}.${nearest ? ` Did you mean "${nearest}"?` : ''}`,
        'Name a configured provider.',
      )
    }
  }
  return context.problems.count === before
}

function providersIn(list: unknown): string[] {
  return isPlainObject(list)
    ? Object.keys(list)
    : ((list ?? []) as readonly unknown[]).flatMap((item) =>
        isPlainObject(item) && isPlainObject(item.id) ? Object.keys(item.id) : [],
      )
}

function isSoldBy(provider: string, { prices, retired }: SitePlanInput): boolean {
  const lists = [listAt(provider, prices), listAt(provider, retired)].flat()
  return lists.length > 0 || (prices === undefined && retired === undefined)
}

/** The plan as one provider's, with its own list and ids. */
function planAt(provider: string, plan: SitePlanInput): Record<string, unknown> {
  const { lines, words, prices, retired, plan_group, group, ...same } = plan
  return {
    ...same,
    group: plan_group ?? group,
    features: lines,
    words:
      words &&
      Object.fromEntries(
        Object.entries(words).map(([tag, { lines: features, ...named }]) => [tag, { ...named, features }]),
      ),
    prices: prices && listAt(provider, prices),
    retired: retired && listAt(provider, retired),
  }
}

/** The entries of a list for one provider, with its own ids. */
function listAt(provider: string, list: unknown): readonly unknown[] {
  if (isPlainObject(list)) return listAt(provider, list[provider])
  return ((list ?? []) as readonly unknown[]).flatMap((item) => {
    if (!isPlainObject(item) || !isPlainObject(item.id)) return [item]
    return provider in item.id ? [{ ...item, id: item.id[provider] }] : []
  })
}
