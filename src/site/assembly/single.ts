import type { Payment, Subscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { searchStatements, type User, type Users } from '../../memberships/members/index.ts'

/** Finds one thing of a member by its id alone, under any account. Each throws ERR_NOT_FOUND. */
export interface Single {
  subscription(id: string): Promise<Subscription>
  payment(id: string): Promise<Payment>
}

export function createSingle(deps: {
  readonly storage: Pick<Storage, 'read' | 'dialect'>
  readonly users: Pick<Users, 'findExisting'>
}): Single {
  const { idsOf } = searchStatements(deps.storage)

  const find = async <Thing extends { readonly id: string }>(
    id: string,
    { kind, in: held }: { readonly kind: string; readonly in: (user: User) => readonly Thing[] },
  ): Promise<Thing> => {
    for (const member of await idsOf(id)) {
      const user = await deps.users.findExisting(member)
      const found = user === null ? undefined : held(user).find((thing) => thing.id === id)
      if (found !== undefined) return found
    }
    throw new MembershipError('ERR_NOT_FOUND', `No member has a ${kind} ${id}.`)
  }

  return {
    subscription: (id) => find(id, { kind: 'subscription', in: (user) => user.subscriptions() }),
    payment: (id) => find(id, { kind: 'payment', in: (user) => user.payments() }),
  }
}
