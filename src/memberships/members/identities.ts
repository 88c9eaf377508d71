import { createHash } from 'node:crypto'
import { withoutAddresses } from '../../core/dto/index.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import type { Log } from '../../core/log.ts'
import { picked, type Row, retryOnConflict, type Step, type Storage, step } from '../../core/storage/index.ts'
import type { Proving } from './proving.ts'
import type { MemberRow } from './statements.ts'
import type { User } from './user.ts'
import type { NewMember, Users } from './users.ts'

/** A person as the host's own login knows them. */
export interface HostIdentity {
  /** An address that the host has verified. */
  readonly email: string
  readonly name?: string
  /** The host's own id of this person, if it stays the same when the address changes. */
  readonly userId?: string
}

export interface IdentitiesDeps {
  readonly storage: Storage
  readonly users: Users
  readonly proving: Proving
  /** Builds the row of a new member, without storing it. */
  readonly newMember: (member: NewMember) => MemberRow
  /** Gives the member the host's current address, unless another member has it. */
  readonly changeEmail: (member: User, email: string) => Promise<void>
  /** True for an account that is deleted or being deleted. Nobody may enter it. */
  readonly isLocked: (memberId: string) => Promise<boolean>
  /** Steps that ask the app stores for what a person bought in the app, before their first visit, under the login's id. */
  readonly askStores: (userId: string) => readonly Step[]
  /** True if the host is told of deletions, for which its id of the person is stored. */
  readonly keepsUserIds: boolean
  readonly now: () => Date
  readonly log: Log
}

export interface Identities {
  /**
   * Returns the member of a login, or null if the account was deleted.
   * @throws ERR_FORM for an address that is not valid
   */
  memberOf(identity: HostIdentity): Promise<User | null>
  /** True for a member who logs in at the host. The address is then changed there, too. */
  isHosts(memberId: string): Promise<boolean>
  /** Returns the member of a login's user, or null for an id that never visited. */
  findByLogin(userId: string): Promise<User | null>
  /**
   * Removes the link of a user whom the login deleted. Returns the member, if nothing else links them with the login.
   * Accounts that were merged keep the links of both.
   */
  unlink(userId: string): Promise<string | null>
  /**
   * Returns the id under which the site's app knows the member, and links it, so that the purchases of the
   * app find the member.
   */
  appUserId(user: Pick<User, 'id'>): Promise<string>
}

/**
 * Maps a login of the host to a member. The first visit finds the member by address or creates one. From then on the
 * link decides, even when the address changes. The login of a deleted account has no member until that person buys
 * again. The table stores a hash of the host's id or address. The id itself is stored only for a host that is told of
 * deletions.
 */
export function createIdentities(deps: IdentitiesDeps): Identities {
  const { storage, users, proving, now } = deps
  const statements = identityStatements(storage)

  const memberOf = async (identity: HostIdentity): Promise<User | null> => {
    const email = normalEmail(identity.email)
    if (!isEmail(email))
      throw new MembershipError('ERR_FORM', 'The address that identify() gave is no e-mail address.', {
        action: 'Give the verified address of the person who is logged in, or null.',
      })
    // Two first visits can run at once. The second then finds the member that the first created.
    return retryOnConflict(() => find({ ...identity, email }))
  }

  const find = async (identity: HostIdentity): Promise<User | null> => {
    const { email } = identity
    const link = linkOf(identity, now(), deps.keepsUserIds)
    const [known] = await storage.all(statements.find, { key: link.key })
    if (known) {
      const member = await (known.merged_into === null
        ? users.findById(known.member_id)
        : users.findExisting(known.merged_into))
      if (member !== null && !(await deps.isLocked(member.id))) {
        // A link from before the host was told of deletions.
        if (known.user_id === null && link.user_id !== null)
          await aside('store the id of a login', member, () =>
            storage.commit([step(statements.put, { ...link, member_id: known.member_id })]),
          )
        return identity.userId === undefined || member.email === email
          ? member
          : follow(member, { key: link.key, email })
      }
    }
    const named = await users.findByEmail(email)
    const asking = identity.userId === undefined ? [] : deps.askStores(identity.userId)
    if (named !== null) return (await deps.isLocked(named.id)) ? null : join(named, link, asking)
    return known ? null : create(identity, link, asking)
  }

  const join = async (member: User, link: IdentityRow, asking: readonly Step[]): Promise<User> => {
    const proved = member.email_verified ? member : await users.verify(member.id)
    await storage.commit([...asking, step(statements.put, { ...link, member_id: member.id }, 1)])
    return proved
  }

  const create = async (
    { email, name }: HostIdentity,
    link: IdentityRow,
    asking: readonly Step[],
  ): Promise<User | null> => {
    const row = deps.newMember({ email, name, verified: true })
    // Waiting purchases go to whoever proves the address. `isAlone` includes those that arrive at this moment.
    await storage.commit(
      [...proving.creation(row), ...asking, step(statements.insert, { ...link, member_id: row.id }, 1)],
      { isAlone: true },
    )
    return users.findById(row.id)
  }

  /**
   * Adopts the host's new address, because this person changes it at the host. Of several logins of an account, the
   * newest has the say, and none that came with a merge: two that name different addresses would change it at each page.
   */
  const follow = async (member: User, { key, email }: { key: string; email: string }): Promise<User> => {
    await aside('adopt the address of a login', member, async () => {
      const [newest] = await storage.all(statements.newest, { member_id: member.id })
      if (newest?.key !== key || (await users.findByEmail(email)) !== null) return
      await deps.changeEmail(member, email)
    })
    return (await users.findById(member.id)) ?? member
  }

  /** Does a side job of a request. The person is known without it, and the next request tries again. */
  const aside = async (what: string, { id }: User, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      const reason = withoutAddresses(error instanceof Error ? error.message : String(error))
      deps.log(`a request could not ${what}`, { member: id, reason })
    }
  }

  const isHosts = async (memberId: string): Promise<boolean> =>
    (await storage.all(statements.ofMember, { member_id: memberId })).length > 0

  const findByLogin = async (userId: string): Promise<User | null> => {
    const [known] = await storage.all(statements.find, linkOf({ email: '', userId }, now(), false))
    const member = known ? await users.findExisting(known.merged_into ?? known.member_id) : null
    return member !== null && !(await deps.isLocked(member.id)) ? member : null
  }

  const unlink = async (userId: string): Promise<string | null> => {
    const { key } = linkOf({ email: '', userId }, now(), false)
    const [known] = await storage.all(statements.find, { key })
    if (!known) return null
    const memberId = known.merged_into ?? known.member_id
    const others = await storage.all(statements.others, { key, member_id: memberId })
    if (others.length === 0) return memberId
    await storage.commit([step(statements.drop, { key })])
    return null
  }

  const appUserId = async ({ id }: Pick<User, 'id'>): Promise<string> => {
    const made = appUserIdOf(id)
    const key = fingerprint(`app:${made}`)
    const [known] = await storage.all(statements.find, { key })
    const row = { key, kind: 'app', member_id: id, created_at: now().toISOString(), user_id: null }
    if (known === undefined) await storage.commit([step(statements.insert, row)])
    return made
  }

  return { memberOf, isHosts, findByLogin, unlink, appUserId }
}

/**
 * A UUID made of the member's id: Apple takes no other form. The same member always has the same one.
 * https://developer.apple.com/documentation/storekit/product/purchaseoption/appaccounttoken(_:)
 */
function appUserIdOf(memberId: string): string {
  const bytes = createHash('sha256').update(`app-user:${memberId}`).digest().subarray(0, 16)
  // RFC 9562, section 5.8: version 8 is for ids that are made in a way of their own.
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

type IdentityRow = Row<'identities'>
const identityColumns = ['key', 'kind', 'member_id', 'created_at', 'user_id'] as const

function linkOf({ email, userId }: HostIdentity, now: Date, keepsUserId: boolean): IdentityRow {
  return {
    key: fingerprint(userId === undefined ? `email:${email}` : `user:${userId}`),
    kind: userId === undefined ? 'email' : 'user',
    member_id: '',
    created_at: now.toISOString(),
    user_id: keepsUserId ? (userId ?? null) : null,
  }
}

function identityStatements(storage: Storage) {
  return {
    find: storage.prepare<
      { key: string },
      { member_id: string; user_id: string | null; merged_into: string | null }
    >('identity', (db, p) =>
      db
        .selectFrom('identities as i')
        .innerJoin('members as m', 'm.id', 'i.member_id')
        .select(['i.member_id', 'i.user_id', 'm.merged_into'])
        .where('i.key', '=', p.key),
    ),
    ofMember: storage.prepare<{ member_id: string }, { key: string }>('identity-of-member', (db, p) =>
      db
        .selectFrom('identities')
        .select('key')
        .where('member_id', '=', p.member_id)
        .where('kind', '!=', 'app')
        .limit(1),
    ),
    /** The newest login of an account by an id of the host. */
    newest: storage.prepare<{ member_id: string }, { key: string }>('identity-newest', (db, p) =>
      db
        .selectFrom('identities')
        .select('key')
        .where('member_id', '=', p.member_id)
        .where('kind', '=', 'user')
        .orderBy('created_at', 'desc')
        .orderBy('key')
        .limit(1),
    ),
    insert: storage.prepare<IdentityRow>('identity-insert', (db, p) =>
      db
        .insertInto('identities')
        .values(picked(p, identityColumns))
        .onConflict((c) => c.doNothing()),
    ),
    /** Writes the first link of a login, or its new link after the account was deleted. */
    put: storage.prepare<IdentityRow>('identity-put', (db, p) =>
      db
        .insertInto('identities')
        .values(picked(p, identityColumns))
        .onConflict((c) => c.column('key').doUpdateSet({ member_id: p.member_id, user_id: p.user_id })),
    ),
    /** Other links by an id, of the member or of an account that is merged into it. */
    others: storage.prepare<{ key: string; member_id: string }, { key: string }>('identity-others', (db, p) =>
      db
        .selectFrom('members as m')
        .innerJoin('identities as i', 'i.member_id', 'm.id')
        .select('i.key')
        .where((e) => e.or([e('m.id', '=', p.member_id), e('m.merged_into', '=', p.member_id)]))
        .where('i.kind', '=', 'user')
        .where('i.key', '!=', p.key)
        .limit(1),
    ),
    drop: storage.prepare<{ key: string }>('identity-drop-one', (db, p) =>
      db.deleteFrom('identities').where('key', '=', p.key),
    ),
  }
}

/** Removes a member's links by address. Whoever has the old address at the host is another person from then on. */
export function dropEmailIdentities(storage: Storage): (memberId: string) => Step {
  const drop = storage.prepare<{ member_id: string }>('identity-drop', (db, p) =>
    db.deleteFrom('identities').where('member_id', '=', p.member_id).where('kind', '=', 'email'),
  )
  return (memberId) => step(drop, { member_id: memberId })
}

const deletedMessage = 'login:user-deleted'

export interface LoginDeletions {
  /**
   * Builds the messages to the login, and the steps that forget the ids. The messages hold them until they
   * are delivered.
   */
  leaving(memberId: string): Promise<{ messages: Message[]; steps: Step[]; userIds: string[] }>
  readonly handlers: Handlers
}

/** Tells the host of deleted members, by the ids that its login gave them. `deleteUser` belongs to the login. */
export function createLoginDeletions(
  storage: Storage,
  deleteUser: ((userId: string) => Promise<void>) | null,
): LoginDeletions {
  const userIds = storage.prepare<{ member_id: string }, { user_id: string | null }>(
    'identity-user-ids',
    (db, p) =>
      db
        .selectFrom('identities')
        .select('user_id')
        .where('member_id', '=', p.member_id)
        .where('user_id', 'is not', null),
  )
  const forget = storage.prepare<{ member_id: string }>('identity-forget', (db, p) =>
    db.updateTable('identities').set({ user_id: null }).where('member_id', '=', p.member_id),
  )
  return {
    leaving: async (memberId) => {
      const rows = await storage.all(userIds, { member_id: memberId })
      const ids = rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]))
      const messages = ids.map((user_id, place) => ({
        id: `${deletedMessage}:${memberId}:${place}`,
        lane: `${deletedMessage}:${memberId}`,
        kind: deletedMessage,
        payload: { user_id },
      }))
      return {
        messages: deleteUser === null ? [] : messages,
        steps: ids.length === 0 ? [] : [step(forget, { member_id: memberId })],
        userIds: ids,
      }
    },
    handlers: {
      [deletedMessage]: async ({ payload }) => deleteUser?.((payload as { user_id: string }).user_id),
    },
  }
}
