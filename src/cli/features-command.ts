import { Command } from 'commander'
import { featuresOf } from '../core/access/index.ts'
import type { Plan, PlanLimit } from '../core/dto/index.ts'
import { type Common, common } from './flags.ts'
import { columns, print } from './output.ts'
import { withSite } from './site.ts'

/** `membership features` */
export function featuresCommand(): Command {
  return common(new Command('features'))
    .addHelpText('after', '\nExamples:\n  membership features\n  membership features --json')
    .action(async (flags: Common) => {
      const shown = await withSite(
        flags,
        async (m) => tableOf(m.plans(), Object.keys(m.operator.config.features)),
        {
          absent: 'memory',
        },
      )
      print(flags, shown, linesOf(shown))
    })
}

interface FeatureTable {
  readonly plans: readonly string[]
  /** By feature: the plans that open it. */
  readonly features: Readonly<Record<string, readonly string[]>>
  /** By limit: the amount that each plan includes. */
  readonly limits: Readonly<Record<string, Readonly<Record<string, PlanLimit>>>>
  /** By limit: the prices that add to it. */
  readonly top_ups: Readonly<Record<string, readonly string[]>>
}

/** Lists plans by feature; a plan that several providers sell is one column. */
function tableOf(plans: readonly Plan[], declared: readonly string[]): FeatureTable {
  const limits = [...new Set(plans.flatMap((plan) => Object.keys(plan.limits ?? {})))]
  const prices = plans.flatMap((plan) => plan.prices)
  const adding = [...new Set(prices.flatMap(({ adds = {} }) => Object.keys(adds)))]
  // A declared name may belong to a limit.
  const features = [
    ...new Set([...featuresOf(plans), ...declared.filter((name) => ![...limits, ...adding].includes(name))]),
  ]
  return {
    plans: idsOf(plans),
    features: Object.fromEntries(
      features.map((feature) => [feature, idsOf(plans.filter(({ opens }) => opens?.includes(feature)))]),
    ),
    limits: Object.fromEntries(
      limits.map((limit) => [
        limit,
        Object.fromEntries(
          plans.flatMap(({ id, limits: own }) => (own?.[limit] === undefined ? [] : [[id, own[limit]]])),
        ),
      ]),
    ),
    top_ups: Object.fromEntries(
      adding.map((limit) => [
        limit,
        prices.filter(({ adds }) => adds?.[limit] !== undefined).map(({ id }) => id),
      ]),
    ),
  }
}

function idsOf(plans: readonly Plan[]): string[] {
  return [...new Set(plans.map(({ id }) => id))]
}

function linesOf({ plans, features, limits, top_ups }: FeatureTable): string[] {
  const names = [...Object.keys(features), ...new Set([...Object.keys(limits), ...Object.keys(top_ups)])]
  if (names.length === 0)
    return [
      'No plan opens a feature or includes a limit.',
      '→ See docs/features.md: plans.{plan}.opens and .limits',
    ]
  return columns([
    ['', ...plans],
    ...Object.entries(features).map(([feature, by]) => [
      feature,
      ...plans.map((id) => (by.includes(id) ? 'yes' : '-')),
    ]),
    ...Object.entries(limits).map(([limit, by]) => [limit, ...plans.map((id) => included(by[id]))]),
    ...Object.entries(top_ups).map(([limit, prices]) => [`${limit} top-up`, prices.join(', ')]),
  ])
}

function included(limit: PlanLimit | undefined): string {
  if (limit === undefined) return '-'
  return `${limit.amount} ${limit.every === 'once' ? 'once' : `a ${limit.every}`}`
}
