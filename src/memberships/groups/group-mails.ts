import type { Tokens } from '../../core/http/tokens.ts'
import type { Handlers } from '../../core/jobs/outbox.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Notices } from '../mails/index.ts'
import type { User, Users } from '../members/index.ts'
import { type Group, type GroupMailPayload, type GroupsService, inviteMs } from './groups.ts'
import { groupStatements, type SeatRow } from './statements.ts'

export interface GroupMailsDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly groups: Pick<GroupsService, 'show' | 'isOpenSeat'>
  readonly users: Pick<Users, 'findExisting'>
  /** null where the site sends no mails. */
  readonly notices: Pick<Notices, 'send'> | null
  readonly titleOf: (language: string | null, plan: string) => string
  readonly siteUrl: () => string
  readonly accountUrl: () => string
}

/** The mails about groups, written when they are sent: no link lies in a queue. */
export function createGroupMails(deps: GroupMailsDeps): Handlers {
  const { storage, tokens, groups, users, notices, titleOf, siteUrl, accountUrl } = deps
  const statements = groupStatements(storage)
  const findMember = async (id: string | null): Promise<User | null> =>
    id === null ? null : users.findExisting(id)
  const pageOf = ({ subscription_id }: Group) =>
    `${siteUrl()}/membership/group/${encodeURIComponent(subscription_id)}`

  const invite = async (id: string, seat: SeatRow, group: Group): Promise<void> => {
    // The group may have ended since.
    if (seat.email === null || !(await groups.isOpenSeat(seat.id))) return
    const token = await tokens.sign('group-join', { seat: seat.id }, inviteMs / 1000)
    const owner = await findMember(group.owner_id)
    const data = {
      title: titleOf(seat.language, group.plan ?? ''),
      from: owner?.name ?? null,
      days: inviteMs / 86_400_000,
      url: `${siteUrl()}/membership/join/${token}`,
    }
    await notices?.send(id, 'group-invitation', { to: seat.email, name: null, language: seat.language, data })
  }

  const sendToManagers = async (id: string, group: Group): Promise<void> => {
    const managers = group.members.filter(({ role, status }) => role === 'manager' && status === 'joined')
    const ids = new Set([group.owner_id, ...managers.map(({ member_id }) => member_id)])
    for (const member of await Promise.all([...ids].map(findMember))) {
      if (!member?.email || group.shrinks_at === null) continue
      const { email: to, name, language } = member
      const data = { title: titleOf(language, group.plan ?? ''), date: group.shrinks_at, url: pageOf(group) }
      await notices?.send(
        `${id}:${member.id}`,
        'group-fewer',
        { to, name, language, data },
        { memberId: member.id },
      )
    }
  }

  const sendToMember = async (
    id: string,
    seat: SeatRow,
    {
      kind,
      date,
    }: { kind: 'group-ended' | 'group-takeover' | 'group-disputed' | 'group-reminder'; date: string | null },
  ): Promise<void> => {
    const group = await groups.show(seat.subscription_id)
    const member = await findMember(seat.member_id)
    if (!member?.email) return
    const { email: to, name, language } = member
    const title = titleOf(language, group.plan ?? '')
    const about = { memberId: member.id }
    if (kind === 'group-ended')
      return notices?.send(
        id,
        kind,
        { to, name, language, data: { title, account_url: accountUrl() } },
        about,
      )
    if (kind === 'group-disputed')
      return notices?.send(id, kind, { to, name, language, data: { title, url: accountUrl() } }, about)
    const [row] = await storage.all(statements.group, seat)
    const end = kind === 'group-reminder' ? date : row?.open_until
    if (!end) return
    const data = { title, date: end, url: accountUrl() }
    return notices?.send(id, kind, { to, name, language, data }, about)
  }

  return {
    'group-mail': async ({ id, payload }) => {
      const { kind, seat: seatId, subscription, date } = payload as GroupMailPayload
      if (kind === 'group-fewer') return sendToManagers(id, await groups.show(subscription ?? seatId))
      const [seat] = await storage.all(statements.seat, { id: seatId })
      if (seat === undefined) return
      if (kind === 'group-invitation') return invite(id, seat, await groups.show(seat.subscription_id))
      return sendToMember(id, seat, { kind, date })
    },
  }
}
