import { hash } from 'node:crypto'
import type { Step, Storage } from '../../core/storage/index.ts'
import {
  createCustomerDoor,
  createLedgerDoors,
  createPurchaseReader,
} from '../../memberships/ledger/index.ts'
import {
  createAccountDoor,
  createAccountReader,
  createCurrent,
  createGrantDoor,
  type GrantRow,
} from '../../memberships/members/index.ts'
import type { SiteFacts } from '../plan.ts'
import type { Trouble, V1Account } from './read.ts'

/** Options for turning accounts into members. */
export interface ImportRules {
  readonly facts: SiteFacts
  /** Provider account of the customers: the label of its webhook secret, '' without one. */
  readonly account: string
  /** Role of accounts that name none. */
  readonly defaultRole: string
  readonly now: () => Date
}

/** The member that one account becomes. */
export interface PlannedMember {
  readonly outcome: 'created' | 'completed' | 'unchanged' | 'refused'
  /** null when refused. */
  readonly memberId: string | null
  readonly grants: number
  readonly linksCustomer: boolean
  readonly keepsPassword: boolean
  readonly troubles: readonly Trouble[]
  readonly steps: readonly Step[]
}

/**
 * Decides what an account becomes, given the store's contents. An account that was imported before is only
 * completed; later changes of the member stay.
 */
export function createImportPlanner(
  storage: Storage,
  { facts, account: label, defaultRole, now }: ImportRules,
) {
  const stored = createAccountReader(storage)
  const accounts = createAccountDoor(storage)
  const grantDoor = createGrantDoor(storage)
  const current = createCurrent(storage)
  const doors = createLedgerDoors(storage)
  const purchases = createPurchaseReader(storage)
  const customers = createCustomerDoor(storage)

  const plan = async (account: V1Account, email: string): Promise<PlannedMember> => {
    const place = await placeFor(account, email)
    if ('code' in place) return refused(place)
    const { id, isNew } = place
    const customer = await customerSteps(account, id)
    const grants = await grantRows(account, id, isNew)
    const creation = isNew ? creationSteps(account, id, email) : []
    const steps = [...creation, ...customer.steps, ...grantDoor.addImported(grants, { isNew })]
    return {
      outcome: isNew ? 'created' : steps.length > 0 ? 'completed' : 'unchanged',
      memberId: id,
      grants: grants.length,
      linksCustomer: customer.steps.length > 0,
      keepsPassword: isNew && account.passwordHash !== null,
      troubles: customer.troubles,
      steps,
    }
  }

  // Keeps the old id if it is free. The e-mail is compared first, because it identifies a person.
  const placeFor = async (
    { id }: V1Account,
    email: string,
  ): Promise<{ id: string; isNew: boolean } | Trouble> => {
    const same = await stored.findByEmail(email)
    if (same) return same.created_by === markOf(id) ? { id: same.id, isNew: false } : emailTaken
    for (const candidate of [id, `${id}-v1`]) {
      const row = await stored.findById(candidate)
      if (!row) return { id: candidate, isNew: true }
      // It was imported before, and the member has another address now.
      if (row.created_by === markOf(id)) return { id: candidate, isNew: false }
    }
    return idTaken
  }

  const creationSteps = (account: V1Account, id: string, email: string): Step[] => {
    const at = now().toISOString()
    const row = {
      id,
      email,
      // Version 1 only admitted addresses that were confirmed or entered by an editor.
      email_verified: 1,
      name: account.name,
      roles: JSON.stringify(account.roles.length > 0 ? account.roles : [defaultRole]),
      language: account.language,
      content: '{}',
      created_by: markOf(account.id),
      created_at: at,
      updated_at: at,
      password_hash: account.passwordHash,
    }
    return [accounts.addImported(row), doors.claimWaiting({ member_id: id, email })]
  }

  const customerSteps = async (
    { customerId }: V1Account,
    memberId: string,
  ): Promise<{ steps: Step[]; troubles: Trouble[] }> => {
    if (customerId === null) return { steps: [], troubles: [] }
    const key = { provider: facts.provider, account: label, customer_id: customerId }
    const row = await purchases.findCustomer(key)
    if (row?.member_id === memberId) return { steps: [], troubles: [] }
    if (row && row.member_id !== null) return { steps: [], troubles: [customerTaken] }
    if (row) return { steps: [doors.giveCustomer({ ...key, member_id: memberId })], troubles: [] }
    // The provider decides address and name.
    const fresh = {
      ...key,
      guest: 0,
      member_id: memberId,
      email: null,
      name: null,
      place: null,
      deleted: 0,
      purchased: 0,
      moved_from: null,
      revision: 0,
    }
    return { steps: [customers.add(fresh)], troubles: [] }
  }

  const grantRows = async (account: V1Account, memberId: string, isNew: boolean): Promise<GrantRow[]> => {
    const reasons = new Map([
      ...account.gates.map((gate) => [gate, 'Given by hand in version 1'] as const),
      ...account.paid.map((gate) => [gate, 'Paid in version 1'] as const),
    ])
    // What is given to a merged account counts for the one that was kept, and returns with it.
    const kept = isNew ? memberId : await current.idOf(memberId)
    if (reasons.size === 0 || kept === null) return []
    const moved_from = kept === memberId ? null : memberId
    const known = new Set(isNew ? [] : await grantDoor.listIds(kept))
    const created_at = now().toISOString()
    return [...reasons]
      .map(([gate, reason]) => ({ id: grantId(memberId, gate), member_id: kept, gate, reason }))
      .filter(({ id }) => !known.has(id))
      .map(({ id, member_id, gate, reason }) => ({
        id,
        member_id,
        gate,
        source: 'manual',
        reason,
        starts_at: null,
        expires_at: null,
        created_at,
        revoked_at: null,
        moved_from,
      }))
  }

  return { plan }
}

function markOf(id: string): string {
  return `v1:${id}`
}

// Deterministic, so that a second import finds the grant, even if it was revoked since.
function grantId(memberId: string, gate: string): string {
  return `v1-${hash('sha256', `${memberId}\u0000${gate}`, 'base64url').slice(0, 24)}`
}

/** Builds the result for an account that is not imported, with the reason. */
export function refused(trouble: Trouble): PlannedMember {
  return {
    outcome: 'refused',
    memberId: null,
    grants: 0,
    linksCustomer: false,
    keepsPassword: false,
    troubles: [trouble],
    steps: [],
  }
}

const emailTaken: Trouble = {
  code: 'email-taken',
  reason: 'Another member has this e-mail address already; the two were not merged.',
  action: 'If it is one person, give that member the access by hand; else change one address.',
}
const idTaken: Trouble = {
  code: 'id-taken',
  reason: 'Other members have this id already.',
  action: 'Rename the folder of the account and run the import again.',
}
const customerTaken: Trouble = {
  code: 'customer-taken',
  reason:
    'The customer id of this account belongs to another member already; the account was brought without it.',
  action: 'Look at the provider whose customer it is.',
}
