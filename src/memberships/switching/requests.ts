import type { Subscription } from '../../core/dto/index.ts'
import type { ProviderKey } from '../../core/register.ts'
import type { SwitchKind, Target } from './plan.ts'

/** From which provider to which, and what is done. */
export interface SwitchRequest {
  readonly from: ProviderKey
  readonly to: ProviderKey
  /** Which operator asks for it. */
  readonly by?: string
  /** Ends what has to end there. Without it nothing is written and nobody is asked. */
  readonly write?: boolean
  /** Takes back what was begun, of everybody who has not moved. */
  readonly undo?: boolean
  /** Which price there takes the place of which here, by their ids, where a plan's name does not say it. */
  readonly prices?: Readonly<Record<string, string>>
  readonly onProgress?: (done: number) => void
  /** Ends it after the subscription that it is at; the next call goes on there. */
  readonly finish?: AbortSignal
}

/** One subscription, and what becomes of it. */
export interface Switching {
  readonly kind: SwitchKind | 'failed' | 'stopped'
  readonly provider: string
  readonly account: string
  readonly id: string
  readonly memberId: string | null
  /** Until when it is paid, and open. */
  readonly until: string | null
  /** The plan that its member buys there, and its price where only one can be meant. */
  readonly target: Target | null
  /** Why it could not be done now. */
  readonly reason?: string
}

/** A mail to a member: the subscription ends and this is what to do, or it goes on after all. */
export interface SwitchNotice {
  readonly subscription: Subscription
  readonly memberId: string
  /** The call that it is about: told again it is the same mail. */
  readonly round: number
  readonly until: string
  /** True if it can be bought before that moment, and costs nothing before. */
  readonly isSoldNow: boolean
  readonly isBack: boolean
}

/** The result of a switch, done or rehearsed. */
export interface Switched {
  readonly isWhole: boolean
  readonly written: boolean
  readonly subscriptions: readonly Switching[]
}

/** Moves a site's members from one provider to another. @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_USAGE */
export type SwitchProvider = (request: SwitchRequest) => Promise<Switched>
