import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import type { ProviderData, User } from '../members/index.ts'
import type { Consumer } from './notifier.ts'

/** A host's own users, kept up to date by this package. Every call may repeat. */
export interface UserStore {
  find(by: { email: string }): Promise<{ id: string } | null>
  create(user: { email: string; name: string | null; roles: readonly string[] }): Promise<{ id: string }>
  /** Sets the roles that this package gave the member with the first purchase. */
  setRoles?(id: string, roles: readonly string[]): Promise<void>
  /** Writes the member's data of one provider into the user's hidden field. Calls are in order for each user. */
  writeField(id: string, field: string, document: ProviderData): Promise<void>
  /**
   * Runs after a member asked to delete the account. Log the user out, and delete the host's own data of the user. The
   * id is the `userId` that `identify` gave for the member; without one it is what `find` returns for the address.
   */
  accountDeleted?(id: string): Promise<void>
}

/** Writes the provider field of a host's users after each change, in order, at least once. */
export function createStoreWriter(deps: {
  store: UserStore
  findMember: (id: string) => Promise<User | null>
  /** By provider: the field that shows its data. */
  fieldOf: (provider: string) => string
}) {
  const { store, findMember, fieldOf } = deps

  const consumer: Consumer = ({ member, documents, id }) =>
    documents.map((provider) => ({
      id: `store:${id}:${provider}`,
      lane: `store:${member.id}`,
      kind: 'store',
      payload: {
        member_id: member.id,
        field: fieldOf(provider),
      } satisfies Payload,
    }))

  const handlers: Handlers = {
    store: async ({ payload }) => {
      const { member_id, field } = payload as Payload
      const member = await findMember(member_id)
      if (!member?.email) return
      const known = await store.find({ email: member.email })
      const user =
        known ?? (await store.create({ email: member.email, name: member.name, roles: member.roles }))
      if (known === null) await store.setRoles?.(user.id, member.roles)
      // The current state is written, so that a late message cannot write older data.
      await store.writeField(user.id, field, member.content(field) as ProviderData)
    },
    'store:account-deleted': async ({ payload }) => {
      const named = payload as DeletedUser
      // The address may be another person's at the host by now, so the host's own id comes first.
      const id = 'user_id' in named ? named.user_id : (await store.find({ email: named.email }))?.id
      if (id !== undefined) await store.accountDeleted?.(id)
    },
  }
  /**
   * Builds the messages that tell the host of a deletion. They hold its ids of the member, or else the
   * address, which leave the database with them.
   */
  const deletionMessages = ({ id, email, userIds }: Deleted): Message[] => {
    if (store.accountDeleted === undefined) return []
    const users: DeletedUser[] = userIds.length > 0 ? userIds.map((user_id) => ({ user_id })) : [{ email }]
    return users.map((payload, place) => ({
      id: `store:account-deleted:${id}:${place}`,
      lane: `store:account-deleted:${id}`,
      kind: 'store:account-deleted',
      payload,
    }))
  }
  return { consumer, handlers, deletionMessages }
}

/** A deleted member. `userIds`: the ids that `identify` gave. */
interface Deleted {
  readonly id: string
  readonly email: string
  readonly userIds: readonly string[]
}
type DeletedUser = { readonly user_id: string } | { readonly email: string }

interface Payload {
  readonly member_id: string
  readonly field: string
}
