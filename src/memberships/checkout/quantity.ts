import type { PlanConfig } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'

/**
 * The quantity that a form asks for; null when it asks for none. A whole number in decimal digits and nothing else:
 * `1e3`, `0x10`, `2.5` and the digits of other scripts are none. @throws ERR_FORM
 */
export const readQuantity = (given: unknown): number | null => {
  if (given === undefined || given === null || given === '') return null
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text === 'string' && /^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  throw new MembershipError('ERR_FORM', 'The quantity must be a whole number above 0, such as 2.')
}

/** @throws ERR_FORM for a quantity that the plan is not sold in */
export const checkQuantity = ({ name, quantity: { min, max } }: PlanConfig, quantity: number): void => {
  if (Number.isInteger(quantity) && quantity >= min && quantity <= max) return
  throw new MembershipError(
    'ERR_FORM',
    min === max
      ? `Of ${name} the quantity is always ${min}.`
      : `The quantity of ${name} must be a whole number from ${min} to ${max}.`,
    { action: `Send a quantity that is allowed, or none for ${min}.` },
  )
}
