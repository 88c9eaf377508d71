import { hash } from 'node:crypto'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { emailHash, type Ledger } from '../ledger/index.ts'
import { deletionStatements } from '../ledger/statements/deletions.ts'
import type { PersonRow, RowTrouble } from './read-row.ts'
import { importStatements } from './statements.ts'

/** What a row becomes. */
export interface PlannedPerson {
  readonly isNew: boolean
  /** Reasons for access that are new. */
  readonly grants: number
}

/** What made an account that a file brought. */
const mark = 'import:file'

/** Decides what people of a file become, from what the store holds. `write` false: what was planned is remembered only. */
export const createPersonPlanner = (deps: {
  storage: Storage
  ledger: Ledger
  defaultRole: string
  now: () => Date
  randomId: () => string
}) => {
  const { storage, ledger, defaultRole, now, randomId } = deps
  const statements = importStatements(storage)
  const { formerOwner } = deletionStatements(storage)

  return (write: boolean) => {
    // What was only planned stands in no table: a second row of the same person has to find it.
    const planned = new Map<string, { id: string; grants: Set<string> }>()

    const take = async (
      { email, name, grant }: PersonRow,
      commit: (steps: readonly Step[]) => Promise<void>,
    ): Promise<PlannedPerson | RowTrouble> => {
      const account = await accountOf(email)
      if ('code' in account) return account
      const { id, isNew } = account
      const known = planned.get(email) ?? { id, grants: new Set<string>() }
      const given = grant === null ? [] : await grantOf(id, grant, known.grants, isNew)
      const steps = [
        ...(isNew ? [step(statements.memberInsert, rowOf(id, email, name), 1)] : []),
        ...given,
        ...(isNew || given.length > 0 ? ledger.noteMember(id, { isKnown: true }) : []),
      ]
      if (write && steps.length > 0) await commit(steps)
      planned.set(email, known)
      for (const one of given) known.grants.add(String(one.params.id))
      return { isNew, grants: given.length }
    }

    /** The proved account of an address, one that a file made before, or a new one. */
    const accountOf = async (email: string): Promise<{ id: string; isNew: boolean } | RowTrouble> => {
      const before = planned.get(email)
      if (before) return { id: before.id, isNew: false }
      const [row] = await storage.all(statements.byEmail, { email })
      if (row)
        return row.email_verified === 1 || row.created_by === mark ? { id: row.id, isNew: false } : unproved
      const former = await storage.all(formerOwner, { email_hash: emailHash(email), at: '' })
      return former.length > 0 ? left : { id: randomId(), isNew: true }
    }

    return { take }
  }

  function rowOf(id: string, email: string, name: string | null) {
    const at = now().toISOString()
    return {
      ...{ id, email, name, language: null, content: '{}', password_hash: null },
      // Whoever opens a login link sent there proves it.
      email_verified: 0,
      roles: JSON.stringify([defaultRole]),
      created_by: mark,
      ...{ created_at: at, updated_at: at },
    }
  }

  async function grantOf(
    member_id: string,
    { gate, isGift, startsAt, endsAt }: NonNullable<PersonRow['grant']>,
    planned: ReadonlySet<string>,
    isNew: boolean,
  ): Promise<Step[]> {
    const id = idOf([member_id, gate, endsAt ?? ''])
    const rows = isNew ? [] : await storage.all(statements.grantIds, { member_id })
    if (planned.has(id) || rows.some((row) => row.id === id)) return []
    const row = {
      ...{ id, member_id, gate },
      source: isGift ? 'gift' : 'manual',
      reason: 'Imported from a file',
      starts_at: startsAt,
      expires_at: endsAt,
      created_at: now().toISOString(),
      revoked_at: null,
    }
    return [step(statements.grantInsert, row)]
  }
}

// Always the same, so that a second import finds it, also when it was revoked since.
const idOf = (parts: readonly string[]): string =>
  `file-${hash('sha256', parts.join('\u0000'), 'base64url').slice(0, 24)}`

const unproved: RowTrouble = {
  code: 'address_unproved',
  reason:
    'An account has this address, and nobody has proved that it is theirs. Import again when its owner has logged in by a link.',
}
const left: RowTrouble = { code: 'left', reason: 'The account with this address was deleted here.' }
