import { MembershipError } from '../../core/errors.ts'

/** A link of an address change that does nothing any more. */
export const spentLink = (): MembershipError =>
  new MembershipError('ERR_LINK', 'This link is no longer good: it was used, is too old, or incomplete.', {
    action: 'Change your address again in your account.',
  })
