import { MembershipError } from '../../core/errors.ts'
import type { Handlers } from '../../core/jobs/outbox.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import type { MailKind, Notices } from '../mails/index.ts'
import type { User, Users } from '../members/index.ts'
import type { Codes } from './codes.ts'
import type { GiftMail } from './parts.ts'
import { type GiftRow, giftStatements } from './statements.ts'

export interface GiftMailsDeps {
  readonly storage: Storage
  readonly codes: Codes
  readonly users: Pick<Users, 'findExisting'>
  /** null where the site sends no mails. */
  readonly notices: Pick<Notices, 'send' | 'deliver'> | null
  /** The mails that the site has not turned off. */
  readonly kinds: ReadonlySet<MailKind>
  /** The name of a plan in a language; null for the default language. */
  readonly titleOf: (language: string | null, plan: string) => string
  readonly siteUrl: () => string
  readonly accountUrl: () => string
  readonly now: () => Date
}

/** Writes the mails about gifts when they are sent, so that no code is in a queue and no outdated mail is sent. */
export function createGiftMails(deps: GiftMailsDeps): Handlers {
  const { storage, codes, users, notices, kinds, titleOf, siteUrl, accountUrl, now } = deps
  const statements = giftStatements(storage)

  const findMember = async (id: string | null): Promise<User | null> =>
    id === null ? null : users.findExisting(id)

  const sendGift = async (id: string, row: GiftRow): Promise<void> => {
    if (row.status !== 'ready' || row.to_email === null || row.code_hash === null) return
    const code = codes.codeOf(row.id, row.code_hash)
    if (code === null)
      throw new MembershipError(
        'ERR_UNDELIVERABLE',
        'The secret that the code of this gift was made with is gone.',
        {
          action: 'Name the earlier secret after the newest one in membership.secret.',
        },
      )
    const buyer = await findMember(row.buyer_id)
    const { to_email: to, language, plan, months, message } = row
    const url = `${siteUrl()}/membership/redeem/${code}`
    const data = { title: titleOf(language, plan), months, from: buyer?.name ?? null, message, code, url }
    if (!(await notices?.deliver(id, 'gift', { to, name: null, language, data }))) return
    // Without its buyer's account nobody needs the address for longer than a day.
    const look_at = row.buyer_id === null ? new Date(now().getTime() + 86_400_000).toISOString() : null
    await storage.commit([step(statements.sent, { id: row.id, sent_at: now().toISOString(), look_at })])
  }

  const sendToBuyer = async (
    id: string,
    row: GiftRow,
    kind: 'gift-bought' | 'gift-redeemed',
  ): Promise<void> => {
    const buyer = await findMember(row.buyer_id)
    if (!buyer?.email) return
    const { email: to, name, language } = buyer
    const title = titleOf(language, row.plan)
    const recipient = { to, name, language }
    if (kind === 'gift-redeemed') {
      // A buyer who redeems their own gift needs no mail.
      if ((await findMember(row.member_id))?.id === buyer.id) return
      const data = { title, to: row.to_email, account_url: accountUrl() }
      return notices?.send(id, kind, { ...recipient, data }, { memberId: buyer.id })
    }
    const url = `${siteUrl()}/membership/gifts/${row.id}`
    const data = { title, months: row.months, to: row.to_email, on: row.send_at, url }
    return notices?.send(id, kind, { ...recipient, data }, { memberId: buyer.id })
  }

  /** Says to the redeemer what is open and until when, unless the gift was closed or interrupted meanwhile. */
  const sendBegun = async (id: string, row: GiftRow): Promise<void> => {
    if (!kinds.has('gift-begun') || row.status !== 'redeemed' || row.grant_id === null) return
    const [grant] = await storage.all(statements.grant, { id: row.grant_id })
    const until = grant?.expires_at ?? null
    if (!grant || grant.revoked_at !== null || until === null || until <= now().toISOString()) return
    const owner = await findMember(row.member_id)
    if (!owner?.email) return
    const { email: to, name, language } = owner
    const data = { title: titleOf(language, row.plan), until, account_url: accountUrl() }
    await notices?.send(id, 'gift-begun', { to, name, language, data }, { memberId: owner.id })
  }

  const sendClosed = async (id: string, row: GiftRow): Promise<void> => {
    if (row.status !== 'closed') return
    const [buyer, owner] = [await findMember(row.buyer_id), await findMember(row.member_id)]
    const reason = row.closed_for as 'refunded' | 'disputed' | 'revoked'
    for (const member of [buyer, owner?.id === buyer?.id ? null : owner]) {
      if (!member?.email) continue
      const { email: to, name, language } = member
      const isBuyer = member === buyer
      const data = { title: titleOf(language, row.plan), reason, isBuyer, account_url: accountUrl() }
      const ownId = `${id}:${isBuyer ? 'buyer' : 'owner'}`
      await notices?.send(ownId, 'gift-closed', { to, name, language, data }, { memberId: member.id })
    }
  }

  return {
    'gift-mail': async ({ id, payload }) => {
      const { gift, kind } = payload as { gift: string; kind: GiftMail }
      const [row] = await storage.all(statements.find, { id: gift })
      if (row === undefined) return
      switch (kind) {
        case 'gift':
          return sendGift(id, row)
        case 'gift-begun':
          return sendBegun(id, row)
        case 'gift-closed':
          return sendClosed(id, row)
        case 'gift-bought':
        case 'gift-redeemed':
          return sendToBuyer(id, row, kind)
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
}
