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
  /** Runs after a member asked to delete the account. Log the user out, and delete the host's own data of the user. */
  accountDeleted?(id: string): Promise<void>
}

/** Writes the provider field of a host's users after each change, in order, at least once. */
export const createStoreWriter = (deps: {
  store: UserStore
  findMember: (id: string) => Promise<User | null>
  /** By provider: the field that shows its data. */
  fieldOf: (provider: string) => string
}) => {
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
      const user = await store.find({ email: (payload as { email: string }).email })
      if (user !== null) await store.accountDeleted?.(user.id)
    },
  }
  /** Builds the message that tells the host of a deletion. It holds the address, which leaves the database with it. */
  const deletionMessages = ({ id, email }: { id: string; email: string }): Message[] =>
    store.accountDeleted === undefined
      ? []
      : [
          {
            id: `store:account-deleted:${id}`,
            lane: `store:account-deleted:${id}`,
            kind: 'store:account-deleted',
            payload: { email },
          },
        ]
  return { consumer, handlers, deletionMessages }
}

interface Payload {
  readonly member_id: string
  readonly field: string
}
