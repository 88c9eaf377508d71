import { MembershipError } from '../core/errors.ts'
import type { User } from '../memberships/members/index.ts'
import type { Compare } from '../memberships/sync/compare.ts'
import { notThere } from './deed-subjects.ts'
import type { DeedRooms, PlanDeed } from './member-deeds.ts'

/** Actions on accounts. */
export const accountDeeds = (rooms: Omit<DeedRooms, 'actions' | 'digits'>) => {
  const { users } = rooms

  const loginLink: PlanDeed = ({ user, day }) => ({
    action: 'login-link',
    memberId: user.id,
    fields: {},
    says: [{ key: 'do.login-link.says', fill: { who: nameOf(user) } }],
    run: () => rooms.loginLink(user.id),
    // The link itself is the member's.
    after: (link) => ({ expires_at: (link as { expires_at: string }).expires_at }),
    shown: (result) => {
      const { url, expires_at } = result as { url: string; expires_at: string }
      return { key: 'do.login-link.shown', fill: { day: day(expires_at) }, link: url }
    },
  })

  const compare: PlanDeed = ({ user }) => ({
    action: 'compare',
    memberId: user.id,
    fields: {},
    says: [{ key: 'do.compare.says', fill: { who: nameOf(user) } }],
    run: () => rooms.compare({ memberId: user.id, write: true, patienceMs: 5000 }),
    after: (result) => {
      const { checked, mended } = result as Awaited<ReturnType<Compare>>
      return { checked, mended }
    },
    shown: (result) => {
      const { checked, mended, differences } = result as Awaited<ReturnType<Compare>>
      const key = differences.length === 0 ? 'do.compare.same' : 'do.compare.mended'
      return { key, fill: { checked, mended, count: differences.length } }
    },
  })

  const merge: PlanDeed = async ({ user, said, by }) => {
    const given = said('other') ?? ''
    const other = await (given.includes('@') ? users.findByEmail(given) : users.findById(given))
    if (other === null) throw notThere('member', given)
    const wish = { keep: user.id, merge: other.id, by }
    const { moves, notes } = await rooms.merging.merge(wish)
    return {
      action: 'merge',
      memberId: user.id,
      subject: other.id,
      fields: { other: other.id },
      says: [
        {
          key: 'do.merge.says',
          fill: {
            other: nameOf(other),
            who: nameOf(user),
            subscriptions: moves.subscriptions,
            payments: moves.payments,
          },
        },
        ...notes.map(({ text }) => ({ key: 'do.merge.note', fill: { text } })),
        { key: 'do.merge.back' },
      ],
      run: () => rooms.merging.merge({ ...wish, write: true }),
      after: (merged) => ({ until: (merged as { until: string | null }).until }),
    }
  }

  const remove: PlanDeed = ({ user, said, isConfirmed }) => {
    if (isConfirmed && said('confirm') !== (user.email ?? user.id))
      throw new MembershipError('ERR_FORM', 'Write the address of the account to delete it.')
    return {
      action: 'delete',
      memberId: user.id,
      fields: {},
      says: [{ key: 'do.delete.says', fill: { who: nameOf(user) } }],
      run: () => rooms.deletions.request(user.id),
      after: (deletion) => ({ step: (deletion as { step: string }).step }),
    }
  }

  const note: PlanDeed = ({ user, said }) => {
    const text = said('text')
    if (text === null) throw new MembershipError('ERR_FORM', 'An empty note says nothing.')
    return {
      action: 'note',
      memberId: user.id,
      fields: { text },
      says: [{ key: 'do.note.says', fill: { text } }],
      run: async () => text,
      after: (written) => ({ text: written }),
    }
  }

  return { 'login-link': loginLink, compare, merge, delete: remove, note }
}

const nameOf = (user: User): string => user.name ?? user.email ?? user.id
