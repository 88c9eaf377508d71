import type { Tokens } from '../../core/http/tokens.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import type { User, Users } from '../members/index.ts'
import { mergeDays } from '../merging/index.ts'
import type { MergeRequestRow } from './merge-request-statements.ts'

/** One of the three mails about a merge request. */
export interface MergeRequestMail {
  readonly id: string
  readonly kind: 'merge-own' | 'merge-other' | 'merged'
  readonly to: string
  /** The member whose name and language the mail uses. */
  readonly user: User
  readonly token: string
  readonly minutes: number
  /** The address of the account that is kept, and of the one merged into it. */
  readonly email: string
  readonly otherEmail: string
}

/** How long a link can confirm. */
export const linkMinutes = 60
const backMinutes = mergeDays * 1440

/** Sends the mails of a merge request. Their links are signed when the mail is written. */
export function createMergeMails(deps: {
  find: (id: unknown) => Promise<MergeRequestRow | undefined>
  tokens: Tokens
  users: Pick<Users, 'findById'>
  sendMail: (mail: MergeRequestMail) => Promise<void>
  now: () => Date
}): Handlers {
  const { find, tokens, users, now } = deps

  const handlers: Handlers = {
    'merge-wish': async ({ id, payload }) => {
      const { request, kind, to } = payload as {
        request: string
        kind: MergeRequestMail['kind']
        to?: 'own' | 'other'
      }
      const row = await find(request)
      if (row === undefined) return
      if (kind === 'merged') return notifyMerged(id, row, to ?? 'own')
      if (!isOpen(row)) return
      const isOwn = kind === 'merge-own'
      const user = await users.findById(isOwn ? row.member_id : (row.other_id ?? ''))
      // The address belongs to nobody. The mail was queued all the same, so that every request takes the same time.
      if (user === null) return
      await send(id, row, { kind, to: isOwn ? row.email : row.other_email, user })
    },
  }

  const notifyMerged = async (id: string, row: MergeRequestRow, to: 'own' | 'other'): Promise<void> => {
    if (row.done_at === null || row.void_at !== null) return
    const user = await users.findById(to === 'own' ? row.member_id : (row.other_id ?? ''))
    if (user !== null)
      await send(id, row, { kind: 'merged', to: to === 'own' ? row.email : row.other_email, user })
  }

  const send = async (
    id: string,
    row: MergeRequestRow,
    { kind, to, user }: Pick<MergeRequestMail, 'kind' | 'to' | 'user'>,
  ): Promise<void> => {
    const lasts = kind === 'merged' ? backMinutes : linkMinutes
    const token = await tokens.sign(kind, { request: row.id }, lasts * 60)
    const { email, other_email: otherEmail } = row
    await deps.sendMail({ id, kind, to, user, token, minutes: lasts, email, otherEmail })
  }

  const isOpen = ({ void_at, done_at, expires_at }: MergeRequestRow): boolean =>
    void_at === null && done_at === null && expires_at > now().toISOString()

  return handlers
}

export function messageOf(
  { id }: MergeRequestRow,
  kind: MergeRequestMail['kind'],
  to?: 'own' | 'other',
): Message {
  return {
    id: `${kind}:${id}${to === undefined ? '' : `:${to}`}`,
    lane: `merge-wish:${id}:${to ?? ''}`,
    kind: 'merge-wish',
    payload: { request: id, kind, ...(to === undefined ? {} : { to }) },
  }
}
