import { isEnded, type ManagedIn, type Subscription, storeNames } from '../../core/dto/index.ts'
import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { User } from '../members/index.ts'
import type { RequestedBy } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'

/** The member's own subscription that an action is for. */
export interface Target {
  readonly user: User
  readonly subscriptionId: string
  /** Who asks for it. Default: the member. */
  readonly requestedBy?: RequestedBy
}

/**
 * Finds the member's subscription, with the provider under its account's key.
 * @throws ERR_NOT_FOUND, also for another member's subscription; ERR_PROVIDER_UNSUPPORTED where its account has no key;
 * ERR_ACTION_REFUSED for a living subscription that only an app store can change
 */
export function findTarget(
  providers: ReadonlyMap<string, ProviderReader>,
  { user, subscriptionId }: Target,
): { subscription: Subscription; provider: ProviderReader } {
  const subscription = user.subscriptions().find(({ id }) => id === subscriptionId)
  const provider = subscription && providerAt(providers, subscription.provider, subscription.account)
  // Another member's subscription counts as unknown.
  if (subscription && provider) {
    if (provider.managedIn && !isEnded(subscription)) throw managedElsewhere(provider.managedIn(subscription))
    return { subscription, provider }
  }
  if (subscription && providers.has(subscription.provider))
    throw unsupported({ key: subscription.provider }, 'reach the account of this subscription')
  throw new MembershipError('ERR_NOT_FOUND', 'You have no such subscription.', {
    action: 'See your account.',
  })
}

/** Refuses an action. The reason is for programs, the message for the member. */
export function refused(reason: RefusalReason, message: string, action?: string): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', message, {
    reason,
    ...(action !== undefined && { action }),
  })
}

function managedElsewhere({ store, url }: ManagedIn): MembershipError {
  const name = store === null ? null : storeNames[store]
  return new MembershipError(
    'ERR_ACTION_REFUSED',
    name === null
      ? 'This membership was given in the app, and cannot be changed here.'
      : `This membership was bought in the ${name}, and only the ${name} can change it.`,
    {
      reason: 'managed_elsewhere',
      action: url === null ? 'Open the app to manage it.' : `Manage it in the ${name}: ${url}`,
      extensions: { managed_in: { store, url } },
    },
  )
}

/** Refuses an action that the provider cannot perform from here. */
export function unsupported({ key }: Pick<ProviderReader, 'key'>, what: string): MembershipError {
  return new MembershipError('ERR_PROVIDER_UNSUPPORTED', `The provider "${key}" cannot ${what} from here.`, {
    action: 'Use the provider’s own page (POST /membership/portal) or its dashboard.',
  })
}

/**
 * Checks that the provider can sell this, before it is asked.
 * @throws ERR_PROVIDER_UNSUPPORTED
 */
export function checkSells(
  provider: ProviderReader,
  { mode, quantity }: { mode: 'subscription' | 'payment'; quantity: number },
): void {
  const { one_time, quantity: several } = provider.capabilities ?? {}
  if (mode === 'payment' && one_time === false) throw unsupported(provider, 'sell what is paid once')
  if (quantity > 1 && several === false) throw unsupported(provider, 'sell more than one')
}

/**
 * Refuses a subscription whose end, or whose other plan, is agreed on already.
 * @throws ERR_ACTION_REFUSED
 */
export function refusePlanned(s: Subscription): void {
  if (s.cancel_at_period_end || s.cancel_at !== null)
    throw refused('already_canceled', 'This membership ends already.', 'Take the cancellation back first.')
  if (s.scheduled_change !== null)
    throw refused(
      'change_scheduled',
      'Another plan is agreed on for the end of the period.',
      'Take that change back first.',
    )
}
