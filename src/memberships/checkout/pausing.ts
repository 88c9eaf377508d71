import type { Config } from '../../core/config/index.ts'
import type { Prospect, Subscription } from '../../core/dto/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { HooksService } from '../hooks/index.ts'
import { offers } from '../subscriptions/index.ts'
import { prospectOfPause, requireShown } from './prospect.ts'
import type { ActionResult, Once } from './single-action.ts'
import { findTarget, refused, refusePlanned, type Target, unsupported } from './target.ts'

const dayMs = 86_400_000

export interface Pausing {
  /**
   * Pauses until a moment, else for as long as the site allows.
   * @throws ERR_NOT_FOUND, ERR_FORM, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER,
   * ERR_SHOWN_CHANGED
   */
  pause(target: PauseInput): Promise<ActionResult>
  readonly look: (target: PauseInput) => Promise<Prospect>
}

/** Pauses, where the site allows them: from the end of the paid period, and no longer than configured. */
export function createPausing(deps: {
  once: Once
  hooks: Pick<HooksService, 'before'>
  config: Pick<Config, 'providers'>
  providers: ReadonlyMap<string, ProviderReader>
}): Pausing {
  const { once, hooks, config, providers } = deps

  const pause = async (target: PauseInput): Promise<ActionResult> => {
    const allowed = find(target)
    // A second click finds the pause already in place, and succeeds.
    if (isPausedAsAsked(allowed.subscription, target.until, allowed.rules.max_days))
      return { subscription: allowed.subscription }
    const { subscription, from, until, prospect } = decide(target)
    requireShown(prospect, target.shown)
    await hooks.before('subscription.paused', { member: target.user, subscription, from, until })
    const action = { mode: 'pause' as const, request: { from, until } }
    const args = { subscriptionId: subscription.id, from, until }
    const { user, requestedBy } = target
    return once.perform(user, subscription, action, { kind: 'pause', args, requestedBy })
  }

  /**
   * Previews a pause.
   * @throws as `pause`
   */
  const describe = async (target: PauseInput): Promise<Prospect> => decide(target).prospect

  const find = (target: PauseInput) => {
    const { subscription, provider } = findTarget(providers, target)
    const rules = config.providers[provider.key]?.pause ?? null
    if (rules === null)
      throw refused('not_allowed', 'Memberships cannot be paused here.', 'Cancel it, or change it.')
    if (!offers(provider, 'pause')) throw unsupported(provider, 'pause a subscription')
    return { subscription, rules }
  }

  const decide = (target: PauseInput) => {
    const { subscription, rules } = find(target)
    const from = beginOf(subscription)
    const until = endOf(from, target.until, rules.max_days)
    const prospect = prospectOfPause(subscription, { from, until, isOpen: rules.access === 'open' })
    return { subscription, from, until, prospect }
  }

  return { pause, look: describe }
}

/** A requested pause. null means as long as the site allows. */
export interface PauseInput extends Target {
  readonly until: string | null
  /** The digest of the preview that the member saw. Without it nothing is compared. */
  readonly shown?: string | null
}

/**
 * Returns the end of the paid period.
 * @throws ERR_ACTION_REFUSED where no pause can begin
 */
function beginOf(s: Subscription): string {
  if (s.status === 'paused' || s.paused_at !== null)
    throw refused('already_paused', 'This membership is paused already.')
  if (s.status !== 'active') throw refused('not_paid', 'Only a membership that is paid can be paused.')
  refusePlanned(s)
  if (s.current_period_end === null)
    throw refused('period_unknown', 'It is not known until when this membership is paid.')
  return s.current_period_end
}

function endOf(from: string, wanted: string | null, maxDays: number): string {
  const latest = latestOf(from, maxDays)
  if (wanted === null) return latest
  if (wanted > from && wanted <= latest) return wanted
  throw refused(
    'until_out_of_range',
    `A pause begins when what is paid has ended, on ${from.slice(0, 10)}, and ends by ${latest.slice(0, 10)}.`,
    'Choose a day between these two.',
  )
}

/** True if it is paused, or about to be, until the requested moment. Providers store whole seconds. */
function isPausedAsAsked(s: Subscription, wanted: string | null, maxDays: number): boolean {
  if (s.paused_at === null || s.resumes_at === null) return false
  const until = wanted ?? latestOf(s.paused_at, maxDays)
  return Math.floor(Date.parse(s.resumes_at) / 1000) === Math.floor(Date.parse(until) / 1000)
}

function latestOf(from: string, maxDays: number): string {
  return new Date(Date.parse(from) + maxDays * dayMs).toISOString()
}
