import type { Payment, Subscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { searchStatements, type User, type Users } from '../../memberships/members/index.ts'

/** Finds one thing of a member by its id alone, under any account. Each throws ERR_NOT_FOUND. */
export interface Single {
  subscription(id: string): Promise<Subscription>
  payment(id: string): Promise<Payment>
  /** The id of the member who has a payment; null where nobody has it. */
  payer(id: string): Promise<string | null>
}

export function createSingle(deps: {
  readonly storage: Pick<Storage, 'read' | 'dialect'>
  readonly users: Pick<Users, 'findExisting'>
}): Single {
  const { idsOf } = searchStatements(deps.storage)

  const holding = async <Thing extends { readonly id: string }>(
    id: string,
    held: (user: User) => readonly Thing[],
  ): Promise<{ readonly user: User; readonly found: Thing } | null> => {
    for (const member of await idsOf(id)) {
      const user = await deps.users.findExisting(member)
      const found = user === null ? undefined : held(user).find((thing) => thing.id === id)
      if (user !== null && found !== undefined) return { user, found }
    }
    return null
  }

  const find = async <Thing extends { readonly id: string }>(
    id: string,
    { kind, held }: { readonly kind: string; readonly held: (user: User) => readonly Thing[] },
  ): Promise<Thing> => {
    const holder = await holding(id, held)
    if (holder !== null) return holder.found
    throw new MembershipError('ERR_NOT_FOUND', `No member has a ${kind} ${id}.`)
  }

  return {
    subscription: (id) => find(id, { kind: 'subscription', held: (user) => user.subscriptions() }),
    payer: async (id) => (await holding(id, (user) => user.payments()))?.user.id ?? null,
    payment: (id) => find(id, { kind: 'payment', held: (user) => user.payments() }),
  }
}
