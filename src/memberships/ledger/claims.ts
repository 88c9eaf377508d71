import { fingerprint } from '../../core/http/tokens.ts'
import type { Step, Storage } from '../../core/storage/index.ts'
import { createFormerMembers } from './former-members.ts'
import type { Neighbours } from './neighbours.ts'
import type { LedgerStatements } from './statements/index.ts'

/** Decides whether a purchase creates a member, and with which role. */
export interface OwnerRules {
  readonly create: boolean
  /** The first role goes to members that a purchase creates. */
  readonly roles: readonly string[]
}

/** A purchase under an address that no member has yet. */
export interface Claimed {
  readonly email: string
  readonly name: string | null
  /** The event's moment. A member who gave up the address after it owns the purchase. */
  readonly since: string
  /** The purchase that would create the member's account. */
  readonly createdBy: string
}

/** The member who holds a purchase. */
export interface Holder {
  readonly member_id: string
  /** The merged account that the purchase first came to; null where it came to the member's own. */
  readonly moved_from: string | null
}

/** One unit's answers about members. The steps keep each answer true until the unit commits. */
export interface Claims {
  /** Finds the member with the address, or creates one where nobody has it. Null while the purchase waits. */
  claim(wanted: Claimed): Promise<Holder | null>
  /** Returns the member of an account: after a merge, the one that was kept. */
  holderOf(memberId: string): Promise<Holder>
  /**
   * Finds the deleted member who had the address. A purchase from before the deletion goes to that empty account and
   * creates no member.
   */
  findFormer(email: string, at: string): Promise<string | null>
  /**
   * Finds the member whom an app names: by the id of `m.appUserId`, by the user id of the site's login, or by
   * the member's own id. Null for an id of nobody, such as an anonymous one.
   */
  holderByAppUser(appUserId: string): Promise<Holder | null>
  /** True if the member was deleted. With `isNew`, the unit checks it again when it commits. */
  hasLeft(memberId: string, more: { isNew: boolean }): Promise<boolean>
}

/**
 * Finds the member of an address. A person who proves the address claims its waiting purchases in a unit of their own.
 * The unit therefore checks each answer again, and is planned again where an answer changed.
 */
export function createClaims(deps: {
  storage: Storage
  statements: LedgerStatements
  neighbours: Pick<Neighbours, 'accounts' | 'deletions'>
  rules: OwnerRules
  now: () => Date
  randomId: () => string
}) {
  const { storage, statements, rules, now, randomId } = deps
  const { accounts, deletions: leaving } = deps.neighbours
  const former = createFormerMembers(storage)

  const mergedOf = async (id: string): Promise<{ merged_into: string | null } | undefined> =>
    (await storage.all(statements.mergedInto, { id }))[0]

  /** Adds the checking steps to the unit that relies on the answers. */
  const within = (steps: Step[]): Claims => {
    const created = new Set<string>()

    const claim: Claims['claim'] = async ({ email, name, since, createdBy }) => {
      const [member] = await storage.all(statements.memberByEmail, { email })
      if (member) {
        const { id, email_verified } = member
        steps.push(accounts.hasAddress({ id, email, email_verified }))
        // An account with an unverified address may be somebody else's. The purchase waits for a login link.
        return email_verified === 1 ? holderOf(id, member) : null
      }
      const leaver = await former.findByEmail(email, since)
      if (leaver !== null) return own(leaver)
      if (created.has(email)) return null
      if (!rules.create) {
        steps.push(accounts.nobodyHas(email))
        return null
      }
      created.add(email)
      const id = randomId()
      const at = now().toISOString()
      steps.push(
        accounts.add({
          id,
          email,
          email_verified: 0,
          name,
          roles: JSON.stringify(rules.roles.slice(0, 1)),
          language: null,
          content: '{}',
          created_by: createdBy,
          created_at: at,
          updated_at: at,
        }),
      )
      return own(id)
    }

    const holderOf = async (id: string, known?: { merged_into: string | null }): Promise<Holder> => {
      let at: Holder = own(id)
      for (let seenAs = known ?? (await mergedOf(id)); seenAs !== undefined; ) {
        const { merged_into } = seenAs
        steps.push(accounts.isMergedInto(at.member_id, merged_into))
        if (merged_into === null) return at
        at = { member_id: merged_into, moved_from: at.member_id }
        seenAs = await mergedOf(merged_into)
      }
      return at
    }

    const holderByAppUser = async (id: string): Promise<Holder | null> => {
      const link = { app: fingerprint(`app:${id}`), user: fingerprint(`user:${id}`) }
      const [linked] = await storage.all(statements.memberByLink, link)
      const memberId = linked?.member_id ?? id
      const known = await mergedOf(memberId)
      return known === undefined ? null : holderOf(memberId, known)
    }

    const hasLeft = async (member_id: string, { isNew }: { isNew: boolean }): Promise<boolean> => {
      const isDeleted = await former.isDeleted(member_id)
      if (isNew && !isDeleted) steps.push(leaving.isNotDone(member_id))
      return isDeleted
    }

    return { claim, holderOf: (id) => holderOf(id), holderByAppUser, findFormer: former.findByEmail, hasLeft }
  }

  return { within }
}

function own(member_id: string): Holder {
  return { member_id, moved_from: null }
}
