import type { OtherProduct } from '../memberships/sync/index.ts'
import { counted } from './output.ts'

/** Lists the subscriptions that a site did not sell, one line for each product, with the words to add. */
export function otherLines(others: readonly OtherProduct[]): string[] {
  if (others.length === 0) return []
  const total = others.reduce((sum, { subscriptions }) => sum + subscriptions, 0)
  return [
    '',
    `${counted(total, 'subscription')} of ${counted(others.length, 'product')} that this site did not sell. They make no member, and nothing changes them:`,
    ...others.map(lineOf),
  ]
}

function lineOf(other: OtherProduct): string {
  return [wordsOf(other), ...Object.entries(other.asked ?? {}).map(askedLine)].join('\n')
}

function askedLine([price, subscriptions]: [string, number]): string {
  return `    A page asks for the gate '${price}', which no plan names: ${counted(subscriptions, 'subscription')} of these ${subscriptions === 1 ? 'has' : 'have'} it.`
}

function wordsOf({ provider, product, prices, subscriptions, site, reason }: OtherProduct): string {
  const named = prices.map((price) => `'${price}'`).join(', ')
  const count = `  ${provider} ${product ?? 'without a product'}: ${counted(subscriptions, 'subscription')}`
  if (reason === 'other_site') return `${count}, sold by the site ${site}. Yours? membership.site: '${site}'`
  if (prices.length === 0) return `${count}, of which no price is known`
  const words = `membership.plans.{plan}.prices: { ${provider}: [${named}] }`
  return reason === 'price_of_no_plan'
    ? `${count}. Yours? ${words}`
    : `${count}, not known yet. Yours? ${words}`
}
