import type { Tokens } from '../../core/http/tokens.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import type { User, Users } from '../members/index.ts'
import { mergeDays } from '../merging/index.ts'
import type { MergeWishRow } from './merge-wish-statements.ts'

/** A mail about a wish: which of its three, to whom, and what stands in it. */
export interface WishMail {
  readonly id: string
  readonly kind: 'merge-own' | 'merge-other' | 'merged'
  readonly to: string
  /** The member whose name and language it has. */
  readonly user: User
  readonly token: string
  readonly minutes: number
  /** The address of the account that stays, and of the one that goes into it. */
  readonly email: string
  readonly otherEmail: string
}

/** For so long a link confirms. */
export const linkMinutes = 60
const backMinutes = mergeDays * 1440

/** The mails of a wish: their links are signed when they are written. */
export const createMergeMails = (deps: {
  find: (id: unknown) => Promise<MergeWishRow | undefined>
  tokens: Tokens
  users: Pick<Users, 'findById'>
  sendMail: (mail: WishMail) => Promise<void>
  now: () => Date
}): Handlers => {
  const { find, tokens, users, now } = deps

  const handlers: Handlers = {
    'merge-wish': async ({ id, payload }) => {
      const { wish, kind, to } = payload as { wish: string; kind: WishMail['kind']; to?: 'own' | 'other' }
      const row = await find(wish)
      if (row === undefined) return
      if (kind === 'merged') return tellMerged(id, row, to ?? 'own')
      if (!isOpen(row)) return
      const isOwn = kind === 'merge-own'
      const user = await users.findById(isOwn ? row.member_id : (row.other_id ?? ''))
      // Nobody's address: it was queued all the same, so that asking takes the same time.
      if (user === null) return
      await send(id, row, { kind, to: isOwn ? row.email : row.other_email, user })
    },
  }

  const tellMerged = async (id: string, row: MergeWishRow, to: 'own' | 'other'): Promise<void> => {
    if (row.done_at === null || row.void_at !== null) return
    const user = await users.findById(to === 'own' ? row.member_id : (row.other_id ?? ''))
    if (user !== null)
      await send(id, row, { kind: 'merged', to: to === 'own' ? row.email : row.other_email, user })
  }

  const send = async (
    id: string,
    row: MergeWishRow,
    { kind, to, user }: Pick<WishMail, 'kind' | 'to' | 'user'>,
  ): Promise<void> => {
    const lasts = kind === 'merged' ? backMinutes : linkMinutes
    const token = await tokens.sign(kind, { wish: row.id }, lasts * 60)
    const { email, other_email: otherEmail } = row
    await deps.sendMail({ id, kind, to, user, token, minutes: lasts, email, otherEmail })
  }

  const isOpen = ({ void_at, done_at, expires_at }: MergeWishRow): boolean =>
    void_at === null && done_at === null && expires_at > now().toISOString()

  return handlers
}

/** The message of one of a wish's mails. */
export const messageOf = ({ id }: MergeWishRow, kind: WishMail['kind'], to?: 'own' | 'other'): Message => ({
  id: `${kind}:${id}${to === undefined ? '' : `:${to}`}`,
  lane: `merge-wish:${id}:${to ?? ''}`,
  kind: 'merge-wish',
  payload: { wish: id, kind, ...(to === undefined ? {} : { to }) },
})
