import { featuresOf } from '../../core/access/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import { planIn, type Voice } from '../../core/words/index.ts'

/** The table of the price page: which plan opens which feature, and what each includes. */
export interface FeatureTable {
  readonly plans: readonly string[]
  readonly rows: readonly { readonly label: string; readonly cells: readonly FeatureCell[] }[]
}
type FeatureCell = { readonly isOpen: boolean } | { readonly amount: string }

/** Builds the rows for the features and limits that the site named; null if no plan has a named one. Pure. */
export function featureTable(
  plans: readonly Plan[],
  named: readonly string[],
  voice: Voice,
): FeatureTable | null {
  const sold = plans.filter(({ prices }) => prices.some(({ retired }) => !retired))
  const columns = sold.filter(({ id }, i) => sold.findIndex((plan) => plan.id === id) === i)
  const features = featuresOf(columns)
  const rows = named.flatMap((name) => {
    const label = voice.feature(name)
    if (features.includes(name))
      return [{ label, cells: columns.map(({ opens }) => ({ isOpen: opens?.includes(name) ?? false })) }]
    if (columns.some(({ limits }) => limits?.[name]))
      return [{ label, cells: columns.map((plan) => includedIn(voice, plan, name)) }]
    return []
  })
  return rows.length === 0 ? null : { plans: columns.map((plan) => planIn(voice, plan).name), rows }
}

function includedIn(voice: Voice, { limits }: Plan, name: string): FeatureCell {
  const limit = limits?.[name]
  if (limit === undefined) return { isOpen: false }
  return { amount: voice.say(`features.every.${limit.every}`, { count: limit.amount }) }
}
