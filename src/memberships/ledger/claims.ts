import { emailHash } from '../../core/email.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { claimStatements } from './statements/claim-statements.ts'
import { deletionStatements } from './statements/deletions.ts'
import type { LedgerStatements } from './statements/index.ts'

/** The rules by which a purchase makes a member, and the roles that it gives. */
export interface OwnerRules {
  readonly create: boolean
  /** The first is given to members that a purchase creates. */
  readonly roles: readonly string[]
}

/** Somebody bought something with this address, and nobody has it yet. */
export interface Claimed {
  readonly email: string
  readonly name: string | null
  /** The moment of the message: what an earlier owner of the address left after it is theirs. */
  readonly since: string
  /** The purchase that would make the member's account. */
  readonly createdBy: string
}

/** The holder of a purchase. */
export interface Holder {
  readonly member_id: string
  /** The account that it came to and that was merged into the member's; null where it came to the member's own. */
  readonly moved_from: string | null
}

/** One unit's look at who is who: the steps hold what was seen until they are written. */
export interface Claims {
  /** The member to whom the address belongs, made where nobody has it; null while the purchase waits. */
  claim(wanted: Claimed): Promise<Holder | null>
  /** The member whose account this is: another, where it was merged into theirs. */
  holderOf(memberId: string): Promise<Holder>
  /**
   * Finds the member whose address it was: a purchase from before the deletion belongs to the empty account, and
   * makes nobody anew.
   */
  findFormer(email: string, at: string): Promise<string | null>
  /** True if the member has left; of one that only now gets a purchase it is asked again in the unit. */
  hasLeft(memberId: string, more: { isNew: boolean }): Promise<boolean>
}

/**
 * Finds the member of an address. Whoever proves to own it claims what waits for it, in a unit of their own: each answer
 * is therefore asked again inside the unit that is built on it, which is planned anew where the answer has changed.
 */
export const createClaims = (deps: {
  storage: Storage
  statements: LedgerStatements
  rules: OwnerRules
  now: () => Date
  randomId: () => string
}) => {
  const { storage, statements, rules, now, randomId } = deps
  const seen = claimStatements(storage)
  const deletions = deletionStatements(storage)

  const findFormer = async (email: string, at: string): Promise<string | null> => {
    const [former] = await storage.all(deletions.formerOwner, { email_hash: emailHash(email), at })
    return former?.member_id ?? null
  }

  const mergedOf = async (id: string): Promise<{ merged_into: string | null } | undefined> =>
    (await storage.all(statements.mergedInto, { id }))[0]

  /** The steps go into the unit that relies on the answers. */
  const within = (steps: Step[]): Claims => {
    const created = new Set<string>()

    const claim: Claims['claim'] = async ({ email, name, since, createdBy }) => {
      const [member] = await storage.all(statements.memberByEmail, { email })
      if (member) {
        const { id, email_verified } = member
        steps.push(step(seen.memberStands, { id, email, email_verified }, 1))
        // An account whose address nobody has confirmed may be somebody else's: the purchase waits for a magic link.
        return email_verified === 1 ? holderOf(id, member) : null
      }
      const former = await findFormer(email, since)
      if (former !== null) return own(former)
      if (created.has(email)) return null
      if (!rules.create) {
        steps.push(step(seen.nobodyHas, { email }, 0))
        return null
      }
      created.add(email)
      const id = randomId()
      const at = now().toISOString()
      steps.push(
        step(
          statements.memberInsert,
          {
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
          },
          1,
        ),
      )
      return own(id)
    }

    const holderOf = async (id: string, known?: { merged_into: string | null }): Promise<Holder> => {
      let at: Holder = own(id)
      for (let seenAs = known ?? (await mergedOf(id)); seenAs !== undefined; ) {
        const { merged_into } = seenAs
        steps.push(step(seen.memberMerged, { id: at.member_id, merged_into }, 1))
        if (merged_into === null) return at
        at = { member_id: merged_into, moved_from: at.member_id }
        seenAs = await mergedOf(merged_into)
      }
      return at
    }

    const hasLeft = async (member_id: string, { isNew }: { isNew: boolean }): Promise<boolean> => {
      const [deleted] = await storage.all(deletions.gone, { member_id })
      if (isNew && deleted === undefined) steps.push(step(seen.memberStays, { member_id }, 0))
      return deleted !== undefined
    }

    return { claim, holderOf: (id) => holderOf(id), findFormer, hasLeft }
  }

  return { within }
}

const own = (member_id: string): Holder => ({ member_id, moved_from: null })
