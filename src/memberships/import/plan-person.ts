import { hash } from 'node:crypto'
import type { Step, Storage } from '../../core/storage/index.ts'
import { createFormerMembers, type Ledger } from '../ledger/index.ts'
import { createAccountDoor, createAccountReader, createGrantDoor, type GrantRow } from '../members/index.ts'
import type { PersonRow, RowTrouble } from './read-row.ts'

/** The planned result of a row. */
export interface PlannedPerson {
  readonly isNew: boolean
  /** The number of new grants. */
  readonly grants: number
}

interface Account {
  readonly id: string
  readonly isNew: boolean
  /** The merged account that the row named, where the access goes to the account that was kept. */
  readonly mergedFrom?: string | null
}

/** Marks an account that a file created. */
const mark = 'import:file'

/** Plans the accounts and grants of a file's people, based on stored data. Without `write` the plan stays in memory. */
export function createPersonPlanner(deps: {
  storage: Storage
  ledger: Ledger
  defaultRole: string
  now: () => Date
  randomId: () => string
}) {
  const { storage, ledger, defaultRole, now, randomId } = deps
  const stored = createAccountReader(storage)
  const accounts = createAccountDoor(storage)
  const grantsOf = createGrantDoor(storage)
  const former = createFormerMembers(storage)

  return (write: boolean) => {
    // A preview is in no table, so a second row of the same person finds it here.
    const planned = new Map<string, { id: string; mergedFrom: string | null; grants: Set<string> }>()

    const take = async (
      { email, name, grant }: PersonRow,
      commit: (steps: readonly Step[]) => Promise<void>,
    ): Promise<PlannedPerson | RowTrouble> => {
      const account = await accountOf(email)
      if ('code' in account) return account
      const { id, isNew, mergedFrom = null } = account
      const known = planned.get(email) ?? { id, mergedFrom, grants: new Set<string>() }
      const given = grant === null ? [] : await grantOf({ id, mergedFrom }, grant, known.grants, isNew)
      const steps = [
        ...(isNew ? [accounts.addImported(rowOf(id, email, name))] : []),
        ...grantsOf.addImported(given, { isNew }),
        ...(isNew || given.length > 0 ? ledger.noteMember(id, { isKnown: true }) : []),
      ]
      if (write && steps.length > 0) await commit(steps)
      planned.set(email, known)
      for (const item of given) known.grants.add(item.id)
      return { isNew, grants: given.length }
    }

    /** Finds the proved account of an address or one that a file created, else plans a new one. */
    const accountOf = async (email: string): Promise<Account | RowTrouble> => {
      const before = planned.get(email)
      if (before) return { id: before.id, isNew: false, mergedFrom: before.mergedFrom }
      const row = await stored.findByEmail(email)
      if (row && row.email_verified !== 1 && row.created_by !== mark) return unproved
      if (row) {
        const id = await existingId(row)
        return { id, isNew: false, mergedFrom: id === row.id ? null : row.id }
      }
      const isFormer = (await former.findByEmail(email, '')) !== null
      return isFormer ? left : { id: randomId(), isNew: true }
    }

    return { take }
  }

  // Access for a merged account counts for the kept one, and returns with it.
  async function existingId({
    id,
    merged_into,
  }: {
    id: string
    merged_into: string | null
  }): Promise<string> {
    if (merged_into === null) return id
    const kept = await stored.findById(merged_into)
    return kept ? existingId(kept) : id
  }

  function rowOf(id: string, email: string, name: string | null) {
    const at = now().toISOString()
    return {
      id,
      email,
      name,
      language: null,
      content: '{}',
      password_hash: null,
      // A login link sent to the address will prove it.
      email_verified: 0,
      roles: JSON.stringify([defaultRole]),
      created_by: mark,
      created_at: at,
      updated_at: at,
    }
  }

  async function grantOf(
    { id: member_id, mergedFrom }: { id: string; mergedFrom: string | null },
    { gate, isGift, startsAt, endsAt }: NonNullable<PersonRow['grant']>,
    planned: ReadonlySet<string>,
    isNew: boolean,
  ): Promise<GrantRow[]> {
    const id = idOf([member_id, gate, endsAt ?? ''])
    const known = isNew ? [] : await grantsOf.listIds(member_id)
    if (planned.has(id) || known.includes(id)) return []
    const row = {
      id,
      member_id,
      gate,
      source: isGift ? 'gift' : 'manual',
      reason: 'Imported from a file',
      starts_at: startsAt,
      expires_at: endsAt,
      created_at: now().toISOString(),
      revoked_at: null,
      moved_from: mergedFrom,
    }
    return [row]
  }
}

// Always the same, so that a second import finds it, even after it was revoked.
function idOf(parts: readonly string[]): string {
  return `file-${hash('sha256', parts.join('\u0000'), 'base64url').slice(0, 24)}`
}

const unproved: RowTrouble = {
  code: 'address_unproved',
  reason:
    'An account has this address, and nobody has proved that it is theirs. Import again when its owner has logged in by a link.',
}
const left: RowTrouble = { code: 'left', reason: 'The account with this address was deleted here.' }
