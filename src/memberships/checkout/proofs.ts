import { addInterval } from '../../core/dto/index.ts'
import {
  type Leaving as LeavingRows,
  retryOnConflict,
  type Step,
  type Storage,
  step,
} from '../../core/storage/index.ts'
import type { Leaving } from '../life.ts'
import { createCurrent, unchecked } from '../members/index.ts'
import { proofStatements } from './proof-statements.ts'

export interface ProofsDeps {
  readonly storage: Storage
  /** True for members to whom the law of California applies, and if there are any. */
  readonly california: {
    readonly isOn: () => Promise<boolean>
    readonly appliesTo: (memberId: string) => Promise<boolean>
  }
}

/**
 * Proofs of consent to renewing contracts (California Business and Professions Code, section 17602 (a)): for three years,
 * or one year after the contract's end, whichever is longer. Until an order or its account is deleted, the order itself
 * is the proof.
 */
export function createProofs({ storage, california }: ProofsDeps) {
  const statements = proofStatements(storage)
  const current = createCurrent(storage)

  /** Steps that keep a leaving member's proofs, by their address and without the account. */
  const atDeletion = async ({ id, email, addresses, at }: Leaving): Promise<readonly Step[]> => {
    const kept = await storage.all(statements.ofMember, { member_id: id })
    const address = email ?? addresses[0] ?? null
    const isAsked = address !== null && (await california.appliesTo(id))
    const known = new Set(kept.map((proof) => proof.id))
    const orders = isAsked ? await storage.all(statements.orders, { member_id: id }) : []
    return [
      ...kept.map((proof) =>
        step(statements.leave, { id: proof.id, keep_until: keepUntil(proof.agreed_at, at) }),
      ),
      ...orders
        .filter((order) => !known.has(order.id))
        .map(({ expires_at: _, ...order }) =>
          unchecked(
            statements.insert,
            { ...order, member_id: null, email: address, keep_until: keepUntil(order.agreed_at, at) },
            'the account leaves, and the proof stays without it',
          ),
        ),
    ]
  }

  /** Keeps the proofs of orders that are about to be deleted for their age. */
  const beforeOrdersLeave = async (before: string): Promise<void> => {
    if (!(await california.isOn())) return
    for (let last = { expires_at: '', id: '' }; ; ) {
      const end = await retryOnConflict(async () => {
        const page = await storage.all(statements.oldOrders, { ...last, before })
        const steps: Step[] = []
        // An account that is just being deleted keeps its proof in `atDeletion`.
        for (const { expires_at: _, ...order } of page) {
          const { member_id, email } = order
          if (member_id === null || email === null || !(await california.appliesTo(member_id))) continue
          const proof = { ...order, keep_until: null }
          steps.push(...current.unlessMerged(member_id, (write) => [write(statements.insert, proof)]))
        }
        await storage.commit(steps)
        return page.at(-1)
      })
      if (end === undefined) return
      last = { expires_at: end.expires_at, id: end.id }
    }
  }

  /** Gives the proofs of contracts that ended their last day. */
  const noteEnds = async (now: string): Promise<void> => {
    for (let after = ''; ; ) {
      const page = await storage.all(statements.ended, { after })
      await storage.commit(
        page.map(({ id, agreed_at, over_at }) =>
          step(statements.end, { id, keep_until: keepUntil(agreed_at, over_at ?? now) }),
        ),
      )
      const last = page.at(-1)
      if (last === undefined) return
      after = last.id
    }
  }

  return { atDeletion, beforeOrdersLeave, noteEnds }
}

/** Proofs that are past their last day. */
export const oldProofs: LeavingRows = {
  name: 'consent-proofs',
  table: 'consent_proofs',
  key: 'id',
  over: 'keep_until',
}

function keepUntil(agreedAt: string, endedAt: string): string {
  const years = (from: string, count: number) =>
    addInterval(from, { interval: 'year', interval_count: count })
  const [three, one] = [years(agreedAt, 3), years(endedAt, 1)]
  return three > one ? three : one
}
