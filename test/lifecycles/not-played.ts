import { dunnings } from './dunning.ts'
import type { Lifecycle } from './lifecycle.ts'

const engines = new Set(dunnings.map(({ provider }) => provider))

/** Situations that `dunning.test.ts` and the tests of the stores play with a fake server. */
const played: readonly RegExp[] = [
  /^A renewal fails/,
  /^(Every retry fails|All four retries fail|Dunning cancels)/,
  /resubscribes in the Play Store/,
  /cancels in the Play Store/,
  /^The member pauses in the Play Store/,
  /^Apple refunds/,
  /^The member turns the renewal off/,
]

const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /extra charge|one-time charge|upgrade|replace/i,
    'The fake servers have no charge beside a period, and no change that is not paid.',
  ],
  [/gave up one|consolidated/i, 'The engine gives up no single invoice, and bills each subscription alone.'],
  [/EXPIRED|limited number|two payments|one payment/, 'The engine’s plans have no last charge.'],
  [/pause/i, 'The engine knows the pause that begins with the next period.'],
  [/trial/i, 'The engine ends a trial with a charge, and tells nothing else.'],
  [/seats?\b/i, 'The fake of the App Store sells to one person.'],
  [/grants access for a day/, 'The fake of RevenueCat always reaches its store.'],
]

/** The reason for which no fake server plays a situation; null for one that is played. */
export function notPlayed({ provider, situation }: Lifecycle): string | null {
  const isStore = provider === 'apple' || provider === 'google' || provider === 'revenuecat'
  if (played.some((words) => words.test(situation)) && (engines.has(provider) || isStore)) return null
  return (
    reasons.find(([words]) => words.test(situation))?.[1] ?? 'The replay plays it; no fake server does yet.'
  )
}
