import { priceOfOneTime } from '../oracle.ts'
import { gates, graceDays } from '../plan.ts'
import { ownedBy, type World } from '../world.ts'
import type { Rogue } from './rogue.ts'

/** What a site may decide: a trial for each person, or with each purchase. */
export interface Rules {
  readonly trial: 'once' | 'always'
}

const day = 86_400
// A renewal's invoice is a draft for an hour, and its message and our look take their time.
const lagSeconds = day / 2

/**
 * Which gates somebody may have by the site's rules, worked out from the provider's money alone: what a paid invoice
 * bought for now, a first trial, a renewal that failed for the days of grace, a payment for good that was kept. Who
 * somebody is, the oracle knows for sure, under however many addresses they come.
 */
export function entitledTo(world: World, rogue: Rogue, rules: Rules): Set<string> {
  const now = world.site.fake.now().getTime() / 1000
  const held = new Set<string>([
    ...paidFor(world, rogue, now),
    ...onTrial(world, rogue, { ...rules, now }),
    ...kept(world, rogue),
  ])
  return new Set(
    Object.entries(gates)
      .filter(([, prices]) => prices.some((price) => held.has(price)))
      .map(([gate]) => gate),
  )
}

function of(world: World, { selves }: Rogue) {
  const owned = selves.map((self) => ownedBy(world, self))
  return {
    customers: new Set(owned.flatMap(({ customers }) => [...customers])),
    subscriptions: owned.flatMap(({ subscriptions }) => subscriptions()),
    charges: owned.flatMap(({ charges }) => charges()),
  }
}

/** What came in of somebody, in minor units, and what of it was taken back. */
export function moneyOf(world: World, rogue: Rogue): { paid: number; back: number } {
  const charges = of(world, rogue).charges.filter(({ paid }) => paid)
  const sum = (pick: (open: (typeof charges)[number]) => number) =>
    charges.reduce((all, charge) => all + pick(charge), 0)
  return {
    paid: sum(({ amount }) => amount),
    back: sum((open) => (open.disputed ? open.amount : open.amount_refunded)),
  }
}

function paidFor(world: World, rogue: Rogue, now: number): string[] {
  const { customers, subscriptions } = of(world, rogue)
  const lines = world.site.fake.objects
    .list('invoice')
    .filter((invoice) => invoice.status === 'paid' && customers.has(invoice.customer))
    .flatMap((invoice) => invoice.lines.data)
  const late = new Set(
    subscriptions
      .filter(({ status }) => status === 'past_due')
      .flatMap(({ items }) => items.data.map(({ price }) => price.id)),
  )
  const net = new Map<string, number>()
  for (const { amount, period, pricing } of lines) {
    const { price } = pricing.price_details
    const until = period.end + lagSeconds + (late.has(price) ? graceDays * day : 0)
    if (period.start <= now && now < until) net.set(price, (net.get(price) ?? 0) + amount)
  }
  return [...net].filter(([, amount]) => amount > 0).map(([price]) => price)
}

/** Of who had no subscription before; another is known for a second one at the latest when its card is. */
function onTrial(world: World, rogue: Rogue, { trial, now }: Rules & { now: number }): string[] {
  const begun = of(world, rogue).subscriptions.filter(({ status }) => !status.startsWith('incomplete'))
  const first = Math.min(...begun.map(({ created }) => created))
  const all = begun.filter((open) => open.trial_end !== null)
  return (
    all
      .filter(
        (open) =>
          now < (trial === 'always' || open.created === first ? open.trial_end! : open.created) + lagSeconds,
      )
      // What was begun as a trial is one of the price that has trials.
      .map(() => 'price_month')
  )
}

function kept(world: World, rogue: Rogue): string[] {
  const { fake } = world.site
  const lost = new Set(
    fake.objects
      .list('dispute')
      .filter(({ status }) => status !== 'won')
      .map(({ charge }) => charge),
  )
  return of(world, rogue)
    .charges.filter((charge) => charge.paid && charge.amount_refunded < charge.amount && !lost.has(charge.id))
    .map((charge) => priceOfOneTime(fake, charge))
    .filter((price) => price !== null)
}
