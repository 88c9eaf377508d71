import { MembershipError } from '../core/errors.ts'

/** Builds the error of a trial whose price differs from what the buyer saw; the checkout does not begin. */
export function otherTrialAmount(price: string, provider: string): MembershipError {
  return new MembershipError(
    'ERR_CHECKOUT_REFUSED',
    `The trial of the price ${price} costs another amount at ${provider} than the buyer was shown.`,
    { action: 'Look at the price again, and confirm what is shown then. Nothing was bought.' },
  )
}
