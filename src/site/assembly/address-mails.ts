import type { WishMail } from '../../memberships/account/index.ts'
import type { MailData, MailKind, Notices } from '../../memberships/mails/index.ts'
import type { User } from '../../memberships/members/index.ts'

/** What each of them says: the message that it is sent for, to whom, and the secret of its link. */
export interface LinkMail {
  readonly id: string
  readonly to: string
  readonly user: User
  readonly token: string
}

/** The mails whose link proves an address, or takes back what another address did. They are written where their message
 *  is delivered, so that no token lies in the queue. */
export const createAddressMails = (notices: Notices | null, siteUrl: () => string) => {
  const send = async <K extends MailKind>(
    kind: K,
    { id, to, user }: Omit<LinkMail, 'token'>,
    data: MailData[K],
  ): Promise<void> => {
    const { name, language } = user
    await notices?.send(id, kind, { to, name, language, data }, { memberId: user.id })
  }
  return {
    /** Sends the link that confirms another address. */
    sendAddressLink: async ({ token, minutes, ...mail }: LinkMail & { minutes: number }): Promise<void> => {
      const url = `${siteUrl()}/membership/account/email/${token}`
      await send('email-change', mail, { url, minutes })
    },
    /** Tells an old address that it counts no more, with the link that takes the change back. */
    sendUndoLink: async ({ token, days, ...mail }: LinkMail & { days: number }): Promise<void> => {
      const url = `${siteUrl()}/membership/account/email-undo/${token}`
      await send('email-changed', mail, { url, days })
    },
    /** Asks an address whether two accounts are to be one, or tells it that they are. */
    sendMergeMail: async (mail: WishMail): Promise<void> => {
      const { kind, token, minutes, email, otherEmail: other_email } = mail
      const page = kind === 'merged' ? 'merge-back' : 'merge'
      const url = `${siteUrl()}/membership/account/${page}/${token}`
      await send(kind, mail, { url, minutes, days: minutes / 1440, email, other_email })
    },
  }
}
