import type { Subscription } from '../../core/dto/index.ts'
import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { User } from '../members/index.ts'
import type { RequestedBy } from '../subscriptions/index.ts'
import { providerAt } from '../verification/provider-at.ts'

/** The member's own subscription that something is to be done to. */
export interface Target {
  readonly user: User
  readonly subscriptionId: string
  /** The requester; the member unless said. */
  readonly requestedBy?: RequestedBy
}

/** The subscription with its provider, as the key of its account has it. @throws ERR_NOT_FOUND, also for somebody
 *  else's; ERR_PROVIDER_UNSUPPORTED where its account has no key */
export const findTarget = (
  providers: ReadonlyMap<string, ProviderReader>,
  { user, subscriptionId }: Target,
): { subscription: Subscription; provider: ProviderReader } => {
  const subscription = user.subscriptions().find(({ id }) => id === subscriptionId)
  const provider = subscription && providerAt(providers, subscription.provider, subscription.account)
  // Somebody else's is as unknown as none.
  if (subscription && provider) return { subscription, provider }
  if (subscription && providers.has(subscription.provider))
    throw unsupported({ key: subscription.provider }, 'reach the account of this subscription')
  throw new MembershipError('ERR_NOT_FOUND', 'You have no such subscription.', {
    action: 'See your account.',
  })
}

/** Refuses an action: the reason is for programs, the message for the member. */
export const refused = (reason: RefusalReason, message: string, action?: string): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', message, { reason, ...(action !== undefined && { action }) })

/** Refuses what the provider cannot do from here. */
export const unsupported = ({ key }: Pick<ProviderReader, 'key'>, what: string): MembershipError =>
  new MembershipError('ERR_PROVIDER_UNSUPPORTED', `The provider "${key}" cannot ${what} from here.`, {
    action: 'Use the provider’s own page (POST /membership/portal) or its dashboard.',
  })

/** @throws ERR_PROVIDER_UNSUPPORTED for what the provider does not sell, before it is asked */
export const checkSells = (
  provider: ProviderReader,
  { mode, quantity }: { mode: 'subscription' | 'payment'; quantity: number },
): void => {
  const { one_time, quantity: several } = provider.capabilities ?? {}
  if (mode === 'payment' && one_time === false) throw unsupported(provider, 'sell what is paid once')
  if (quantity > 1 && several === false) throw unsupported(provider, 'sell more than one')
}
