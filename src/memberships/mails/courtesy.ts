import type { Tokens } from '../../core/http/tokens.ts'
import type { Storage } from '../../core/storage/index.ts'
import { createAccountDoor } from '../members/index.ts'

/**
 * Turns optional mails off and on, by a link that does nothing else. The choice belongs to the person: it also applies
 * after their account is merged into another, and returns when the merge is undone.
 */
export function createCourtesy(deps: {
  storage: Storage
  tokens: Pick<Tokens, 'sign' | 'verify'>
  siteUrl: () => string
  now: () => Date
}) {
  const { storage, tokens, siteUrl, now } = deps
  const statements = courtesyStatements(storage)
  const account = createAccountDoor(storage)

  /** The member's current account and every account merged into it; null for an invalid link. */
  const accountsOf = async (token: string): Promise<string[] | null> => {
    const claims = await tokens.verify(purpose, token)
    if (typeof claims?.member !== 'string') return null
    let id = claims.member
    for (let steps = 0; steps < mostMerges; steps++) {
      const [row] = await storage.all(statements.choice, { id })
      if (!row?.merged_into) break
      id = row.merged_into
    }
    return withMerged(id)
  }

  const withMerged = async (id: string): Promise<string[]> => {
    const all = [id]
    for (let at = 0; at < all.length && at < mostMerges; at++)
      for (const merged of await storage.all(statements.mergedInto, { id: all[at]! }))
        if (!all.includes(merged.id)) all.push(merged.id)
    return all
  }

  const choose = async (ids: readonly string[], mails_off_at: string | null): Promise<void> =>
    storage.commit(ids.map((id) => account.setMailsOff({ id, mails_off_at })))

  return {
    isOff: async (memberId: string): Promise<boolean> => {
      for (const id of await withMerged(memberId)) {
        const [row] = await storage.all(statements.choice, { id })
        if (row && row.mails_off_at !== null) return true
      }
      return false
    },
    urlOf: async (memberId: string): Promise<string> =>
      `${siteUrl()}/membership/unsubscribe/${await tokens.sign(purpose, { member: memberId }, ttlSeconds)}`,
    isLink: async (token: string): Promise<boolean> => (await accountsOf(token)) !== null,
    /** Returns false for an invalid or expired link. */
    switchOff: async (token: string): Promise<boolean> => {
      const accounts = await accountsOf(token)
      if (accounts !== null) await choose(accounts.slice(0, 1), now().toISOString())
      return accounts !== null
    },
    /** Turns the mails on again. Returns false for an invalid or expired link. */
    switchOn: async (token: string): Promise<boolean> => {
      const accounts = await accountsOf(token)
      if (accounts !== null) await choose(accounts, null)
      return accounts !== null
    },
  }
}
export type CourtesyDeps = ReturnType<typeof createCourtesy>

function courtesyStatements(storage: Storage) {
  return {
    choice: storage.prepare<{ id: string }, { merged_into: string | null; mails_off_at: string | null }>(
      'courtesy-choice',
      (db, p) => db.selectFrom('members').select(['merged_into', 'mails_off_at']).where('id', '=', p.id),
    ),
    mergedInto: storage.prepare<{ id: string }, { id: string }>('courtesy-merged', (db, p) =>
      db.selectFrom('members').select('id').where('merged_into', '=', p.id),
    ),
  }
}

// A person merges a handful of accounts at most.
const mostMerges = 50
const purpose = 'unsubscribe'
// Mails are opened years later, and the link can only turn off such mails.
const ttlSeconds = 3 * 365 * 86_400
