import { MembershipError } from '../core/errors.ts'

/** The provider would charge another amount for a trial than the buyer was shown: the checkout is not begun. */
export function otherTrialAmount(price: string, provider: string): MembershipError {
  return new MembershipError(
    'ERR_CHECKOUT_REFUSED',
    `The trial of the price ${price} costs another amount at ${provider} than the buyer was shown.`,
    { action: 'Look at the price again, and confirm what is shown then. Nothing was bought.' },
  )
}
