import { isEmail } from '../../core/email.ts'
import type { Trouble, V1Account } from './read.ts'

/** Finds a second account with the same id, address or customer as an earlier one. */
export function createTwins() {
  const seen = { id: new Set<string>(), email: new Set<string>(), customer: new Set<string>() }
  return (kind: keyof typeof seen, value: string): boolean => {
    if (seen[kind].has(value)) return true
    seen[kind].add(value)
    return false
  }
}

/** Returns why an account cannot be imported, whatever the store contains; null when it can. */
export function refusalOf(
  account: V1Account,
  email: string | null,
  isTwin: ReturnType<typeof createTwins>,
): Trouble | null {
  if (email === null) return refusals.noEmail
  if (!isEmail(email)) return refusals.badEmail
  if (!/^[\w.@+-]{1,100}$/.test(account.id)) return refusals.badId
  if (isTwin('id', account.id)) return refusals.idTwice
  return isTwin('email', email) ? refusals.emailTwice : null
}

const refusals = {
  noEmail: {
    code: 'no-email',
    reason: 'The account has no e-mail address that can be read.',
    action: 'Write the address into its index.php as plain text, or leave the account behind.',
  },
  badEmail: {
    code: 'email-unusable',
    reason: 'The e-mail address is not valid.',
    action: 'Correct the address and run the import again.',
  },
  badId: {
    code: 'id-unusable',
    reason: 'The account’s id is longer than 100 characters or has characters that an id cannot have.',
    action: 'Rename the account with letters, digits, "-" and "_", and run the import again.',
  },
  idTwice: {
    code: 'id-twice',
    reason: 'Another account of this import has the same id and was taken first.',
    action: 'Give one of them another id and run the import again.',
  },
  emailTwice: {
    code: 'email-twice',
    reason: 'Another account of this import has the same e-mail address and was taken first.',
    action: 'Keep one of the two, or change one address, and run the import again.',
  },
} satisfies Record<string, Trouble>

/** Refusal of an account whose customer id belongs to an earlier one. */
export const customerTwice: Trouble = {
  code: 'customer-twice',
  reason: 'Another account of this import has the same customer id; this one was brought without it.',
  action: 'Look at the provider whose customer it is.',
}

/** Refusal of an account that the database rejected. */
export const notStored: Trouble = {
  code: 'not-stored',
  reason: 'The database did not take this account.',
  action: 'Run the import again; accounts that are there already stay as they are.',
}
