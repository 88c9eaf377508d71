import type { Message } from '../../core/jobs/outbox.ts'
import type { SettledIntent } from '../ledger/index.ts'
import type { MailKind } from './mail.ts'
import { named } from './named.ts'
import type { Notices } from './notices.ts'

const kindOf: Readonly<Partial<Record<SettledIntent['outcome'], MailKind>>> = {
  processing: 'payment-pending',
  failed: 'purchase-failed',
}

/**
 * The mail about a purchase that waits for a bank or failed there; a paid one gets the mail of what it opens. It goes
 * to the member, else to the address that the buyer typed.
 */
export function checkoutMails(
  { sends, memberMessage, directMessage }: Notices,
  { id, outcome, price_id, member_id, email, name, language }: SettledIntent,
): Message[] {
  const kind = kindOf[outcome]
  if (kind === undefined || !sends(kind)) return []
  const data = { title: named([price_id]) }
  if (member_id !== null) return [memberMessage(`${kind}:${id}`, kind, { memberId: member_id, data })]
  if (email === null) return []
  return [directMessage(`${kind}:${id}`, kind, { to: email, name, language, data })]
}
