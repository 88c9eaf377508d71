import type { Plan } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import { notThere } from './deed-subjects.ts'
import type { DeedRooms, PlanDeed } from './member-deeds.ts'

/** Access given by hand, and taken back. */
export const accessDeeds = ({ users, plans, now }: Pick<DeedRooms, 'users' | 'plans' | 'now'>) => {
  const grant: PlanDeed = ({ user, said, day }) => {
    const gate = gateOf(said('gate'), plans())
    const until = untilOf(said('until'), now())
    const reason = said('reason')
    return {
      action: 'grant',
      memberId: user.id,
      subject: gate,
      fields: { gate, until: said('until') ?? '', reason: reason ?? '' },
      says: [
        {
          key: until === null ? 'do.grant.forever' : 'do.grant.until',
          fill: { gate, day: until ? day(until.toISOString()) : '' },
        },
      ],
      run: () =>
        users.grant({
          memberId: user.id,
          gate,
          reason: reason ?? undefined,
          ...(until === null ? {} : { expiresAt: until }),
        }),
      after: (made) => ({ grant: made, gate, until: until?.toISOString() ?? null, reason }),
    }
  }

  const revoke: PlanDeed = ({ user, said }) => {
    const id = said('grant')
    const found = user.grants().find((knownGrant) => knownGrant.id === id)
    if (!found) throw notThere('access given by hand', id)
    const { gate, expires_at: until } = found
    return {
      action: 'revoke',
      memberId: user.id,
      subject: found.id,
      before: { gate, until },
      fields: { grant: found.id },
      says: [{ key: 'do.revoke.says', fill: { gate } }],
      run: () => users.revoke(found.id),
    }
  }

  return { grant, revoke }
}

const gateOf = (given: string | null, plans: readonly Plan[]): string => {
  const known = plans.some(({ id, prices }) => id === given || prices.some((price) => price.id === given))
  if (given !== null && known) return given
  throw notThere('plan', given)
}

/** The end of that day, UTC; null for ever. @throws ERR_FORM */
const untilOf = (given: string | null, now: Date): Date | null => {
  if (given === null) return null
  const end = /^\d{4}-\d{2}-\d{2}$/.test(given) ? new Date(`${given}T23:59:59.000Z`) : null
  if (end !== null && end > now && !Number.isNaN(end.getTime())) return end
  throw new MembershipError('ERR_FORM', 'Access ends on a day to come.', {
    action: 'Write it as 2027-01-31, or leave it empty for access without an end.',
  })
}
