import { MembershipError } from '../../core/errors.ts'
import type { Message } from '../../core/jobs/outbox.ts'
import type { SettledIntent } from '../../memberships/ledger/index.ts'
import { checkoutMails, type MailKind, type Notices, named } from '../../memberships/mails/index.ts'
import type { Deadline, Declaration } from '../../memberships/shop/index.ts'
import type { SwitchNews } from '../../memberships/switching/requests.ts'
import type { Unassigned } from '../../memberships/sync/unassigned.ts'
import type { EndedTrial } from '../../memberships/trials/index.ts'

/** Where the operator's mails go, and where their links lead. */
interface Operator {
  readonly to: string | null
  readonly siteUrl: string
}

/** What is queued for each thing that the rooms tell of; nothing where the site sends no mails, or not this kind. */
export const createMailMessages = (notices: Notices | null) => {
  const needed = (): Notices => {
    if (notices) return notices
    throw new MembershipError('ERR_NO_MAIL', 'This site sends no mails, so nobody can log in by a link.', {
      action: 'Give mails: { transport } to createMembership, or connect your own login by identify.',
    })
  }

  /** To the member whose it is; to the address that paid, while it is nobody's. */
  const toBuyer = (
    { memberId, email }: { memberId: string | null; email: string | null },
    { id, kind, data }: { id: string; kind: MailKind; data: Record<string, unknown> },
  ): Message[] => {
    if (!notices?.sends(kind)) return []
    if (memberId !== null) return [notices.memberMessage(id, kind, { memberId, data })]
    return email === null
      ? []
      : [notices.directMessage(id, kind, { to: email, name: null, language: null, data })]
  }

  return {
    /** @throws ERR_NO_MAIL where nothing can be sent */
    requireMails: (): void => void needed(),
    /** @throws ERR_NO_MAIL */
    linkMessage: (linkId: string, language: string | null): Message => needed().linkMessage(linkId, language),
    /** The messages about access that was given by hand. */
    ofGrant: (memberId: string, grantId: string): Message[] =>
      notices?.grantMessages(memberId, grantId) ?? [],
    /** The receipt of a declaration, to the address that it names: its text is the same for every address. */
    ofDeclaration: (one: Declaration, language: string): Message[] => {
      const { id, email: to, kind, nature, received_at, name, contract, reason, ends_on } = one
      const data = { number: id, kind, nature, received_at, name, contract, reason, ends_on }
      return notices
        ? [notices.directMessage(`declaration:${id}`, 'declaration', { to, name: null, language, data })]
        : []
    },
    /** To whoever runs the site: something has to be answered by a day. */
    ofDeadline: (deadline: Deadline, name: string, { to, siteUrl }: Operator): Message | null =>
      notices === null || to === null
        ? null
        : notices.directMessage(`deadline:${name}`, 'operator-deadline', {
            ...{ to, name: null, language: null },
            data: {
              about: deadline.kind,
              number: deadline.id,
              due_on: deadline.due_on,
              url: `${siteUrl}/membership/office/deadlines`,
            },
          }),
    /** The messages about a checkout whose outcome became known. */
    ofCheckout: (settled: SettledIntent): Message[] => (notices ? checkoutMails(notices, settled) : []),
    /** The message to whoever paid what nobody says the purpose of. */
    ofUnassigned: ({ payment, memberId, email }: Unassigned): Message[] => {
      const { provider, account, amount, currency, paid_at, updated_at } = payment
      if (currency === null) return []
      const id = `payment-unassigned:${provider}:${account}:${payment.id}`
      const data = { amount, currency, provider, paid_at: paid_at ?? updated_at }
      return toBuyer({ memberId, email }, { id, kind: 'payment-unassigned', data })
    },
    /** The message to whoever began a second trial, which has ended. */
    ofTrial: ({ subscription, memberId, email }: EndedTrial): Message[] =>
      toBuyer(
        { memberId, email },
        {
          id: `trial-ended:${subscription.provider}:${subscription.id}`,
          kind: 'trial-ended',
          data: { title: named([subscription.price_id]) },
        },
      ),
    /** The message to a member whose membership ends here and goes on at another provider, or stays after all. */
    ofSwitch: ({ subscription, memberId, round, until, isSoldNow, isBack }: SwitchNews): Message[] => {
      if (!notices?.sends('switching')) return []
      const { provider, account, id: at, price_id } = subscription
      const id = `switching:${provider}:${account}:${at}:${round}:${isBack ? 'back' : 'ends'}`
      const data = { title: named([price_id]), ends_at: until, isSoldNow, isBack }
      return [notices.memberMessage(id, 'switching', { memberId, data })]
    },
    /** The last mail to a member whose account is gone. */
    farewell: (member: {
      id: string
      email: string
      name: string | null
      language: string | null
    }): Message[] => {
      if (!notices?.sends('account-deleted')) return []
      const { id, email: to, name, language } = member
      return [
        notices.directMessage(`account-deleted:${id}`, 'account-deleted', { to, name, language, data: {} }),
      ]
    },
  }
}
