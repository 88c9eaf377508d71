import { pollAges } from '../src/memberships/checkout/checkout-polling.ts'
import { unknownRate } from '../src/memberships/sync/budget.ts'
import { rhythm as overdueRhythm } from '../src/memberships/sync/overdue.ts'
import { catchUpRhythm, dailyRhythm } from '../src/memberships/sync/sync.ts'
import type { Provider, ProviderDefinition, Rate } from '../src/providers/contract.ts'
import { between, type Described, titleOf } from './provider-tables.ts'

function minutes(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} s` : `${ms / 60_000} min`
}
function days(ms: number): string {
  return ms === 86_400_000 ? 'a day' : `${ms / 86_400_000} days`
}

const soon = minutes(catchUpRhythm.everyMs)
const daily = days(dailyRhythm.everyMs)

/** How late each thing that happens at a provider is known here at most, in milliseconds, where a clock bounds it. */
export function boundsMsOf(
  provider: Provider,
): Readonly<Record<keyof ReturnType<typeof boundsOf>, number | null>> {
  const ms = (words: string) =>
    ({ [soon]: catchUpRhythm.everyMs, [daily]: dailyRhythm.everyMs, [overdue]: overdueMs })[words] ?? null
  const { purchase, renewal, cancellation, refund } = boundsOf(provider)
  return { purchase: ms(purchase), renewal: ms(renewal), cancellation: ms(cancellation), refund: ms(refund) }
}
// It is asked for an hour after its period's end, by a round of its own.
const overdueMs = 3_600_000 + overdueRhythm.everyMs
const overdue = `${minutes(overdueMs)} after its period is over`
const silent = 'its message alone'

/** What bounds each of the things that happen at a provider. */
export function boundsOf({ fetch, pull, pulls, list, complete }: Provider) {
  const looks = `${pollAges.map(minutes).join(', ')} after it began${complete ? ', then ever less often' : ''}`
  if (!fetch) return { purchase: silent, renewal: silent, cancellation: silent, refund: silent }
  if (pulls === 'refunds') return { purchase: silent, renewal: overdue, cancellation: overdue, refund: soon }
  if (pull) return { purchase: soon, renewal: soon, cancellation: soon, refund: soon }
  if (list) return { purchase: soon, renewal: overdue, cancellation: daily, refund: daily }
  return { purchase: looks, renewal: overdue, cancellation: overdue, refund: silent }
}

function rateOf({ rate }: ProviderDefinition): string {
  const { requests, seconds, inTest, source }: Rate = rate ?? unknownRate
  const words = `${requests} in ${seconds} s${inTest === undefined ? '' : `, ${inTest} in test mode`}`
  return /^https:/.test(source) ? `[${words}](${source})` : `${words} (${source})`
}

function tableOf(described: readonly Described[]): string {
  const asked = described.filter(({ definition }) => !definition.inProcess)
  const rows = asked.map(({ definition, provider }) => {
    const { purchase, renewal, cancellation, refund } = boundsOf(provider)
    const rate = provider.fetch ? rateOf(definition) : 'it is not asked'
    return [titleOf(definition), rate, purchase, renewal, cancellation, refund]
  })
  const head = [
    'Provider',
    'requests that it takes',
    'a purchase',
    'a renewal',
    'a cancellation there',
    'a refund there',
  ]
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** The page about operating, with the table of bounds. */
export function withBounds(page: string, described: readonly Described[]): string {
  return between(page, 'bounds', tableOf(described))
}
