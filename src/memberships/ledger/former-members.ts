import { emailHash } from '../../core/email.ts'
import type { Storage } from '../../core/storage/index.ts'
import { deletionStatements } from './statements/deletions.ts'

/** Reads deleted members. Their rows stay, empty, so that late events still find an owner. */
export interface FormerMembers {
  /** True if the member's deletion is complete. */
  isDeleted(memberId: string): Promise<boolean>
  /** Finds the member who had this address until after a moment, ISO 8601 UTC; after any moment with ''. */
  findByEmail(email: string, at: string): Promise<string | null>
}

/** Prepares the reader. */
export function createFormerMembers(storage: Storage): FormerMembers {
  const { gone, formerOwner } = deletionStatements(storage)
  return {
    isDeleted: async (member_id) => (await storage.all(gone, { member_id })).length > 0,
    findByEmail: async (email, at) => {
      const [former] = await storage.all(formerOwner, { email_hash: emailHash(email), at })
      return former?.member_id ?? null
    },
  }
}
