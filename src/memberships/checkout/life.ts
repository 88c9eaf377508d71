import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { checkoutLifeStatements } from './life-statements.ts'
import { proofStatements } from './proof-statements.ts'
import { createProofs, type ProofsDeps } from './proofs.ts'

/** Checkouts in the life of a member. */
export function checkoutLife(storage: Storage, california: ProofsDeps['california']) {
  const statements = checkoutLifeStatements(storage)
  const { ofMember, move, moveBack } = proofStatements(storage)
  const proofs = createProofs({ storage, california })
  return {
    name: 'checkout',
    tables: ['intents', 'consent_proofs'],
    // No return page opens a session.
    eraseRecords: nothing,
    lock: ({ id }) => [step(statements.forgetBrowsers, { member_id: id })],
    // The order stays, and names nobody. A proof that a law asks for names the address.
    erase: proofs.atDeletion,
    export: async ({ id }) => {
      const checkouts = await storage.all(statements.checkouts, { member_id: id })
      const kept = await storage.all(ofMember, { member_id: id })
      return {
        checkouts: checkouts.map(({ id: _, consent, ...item }) => ({
          ...item,
          consent: consent && (JSON.parse(consent) as unknown),
        })),
        consent_proofs: kept.map(({ email, provider, plan, price_id, quantity, consent, agreed_at }) => ({
          email,
          provider,
          plan,
          price_id,
          quantity,
          agreed_at,
          consent: consent && (JSON.parse(consent) as unknown),
        })),
      }
    },
    merge: ({ kept, merged }) =>
      [statements.move, move].map((rows) => step(rows, { kept: kept.id, merged: merged.id })),
    unmerge: ({ kept, merged }) =>
      [statements.moveBack, moveBack].map((rows) => step(rows, { kept: kept.id, merged: merged.id })),
    restore: async ({ at }) => {
      const [row] = await storage.all(statements.enterable, {})
      return {
        ended: { returnPages: Number(row?.n ?? 0) },
        steps: [step(statements.endReturnPages, { at })],
        afterwards: [],
      }
    },
  } as const satisfies MemberLife
}

/** Reads the ids of a member's checkouts. */
export function createCheckoutIds(storage: Storage) {
  const { checkouts } = checkoutLifeStatements(storage)
  return async (member_id: string): Promise<string[]> =>
    (await storage.all(checkouts, { member_id })).map(({ id }) => id)
}
