import type { Subscription } from '../../core/dto/index.ts'
import type { ProviderKey } from '../../core/register.ts'
import type { SwitchKind, Target } from './plan.ts'

/** The providers of a switch, and what to do. */
export interface SwitchRequest {
  readonly from: ProviderKey
  readonly to: ProviderKey
  /** The operator who asks. */
  readonly by?: string
  /** Ends the subscriptions that have to end. Without it nothing is written and no provider is called. */
  readonly write?: boolean
  /** Undoes the switch for everybody who has not moved. */
  readonly undo?: boolean
  /** By current price id: its replacement, where the plan names do not match. */
  readonly prices?: Readonly<Record<string, string>>
  readonly onProgress?: (done: number) => void
  /** Stops after the current subscription. The next call continues there. */
  readonly finish?: AbortSignal
}

/** One subscription and its state. */
export interface Switching {
  readonly kind: SwitchKind | 'failed' | 'stopped'
  readonly provider: string
  readonly account: string
  readonly id: string
  readonly memberId: string | null
  /** When its paid period, and access, ends. */
  readonly until: string | null
  /** The plan to buy there, and its price if only one matches. */
  readonly target: Target | null
  /** The reason that it failed. */
  readonly reason?: string
}

/** A mail to a member: the subscription ends and has to be bought again, or it continues after all. */
export interface SwitchNotice {
  readonly subscription: Subscription
  readonly memberId: string
  /** The round of the switch. Repeating it sends the same mail only once. */
  readonly round: number
  readonly until: string
  /** True if the replacement can be bought before that moment without a charge until then. */
  readonly isSoldNow: boolean
  readonly isBack: boolean
}

/** The result of a switch, performed or previewed. */
export interface Switched {
  readonly isWhole: boolean
  readonly written: boolean
  readonly subscriptions: readonly Switching[]
}

/**
 * Moves a site's members from one provider to another.
 * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_USAGE
 */
export type SwitchProvider = (request: SwitchRequest) => Promise<Switched>
