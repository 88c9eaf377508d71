import { paramAt } from '../../core/http/addresses.ts'
import type { Storage } from '../../core/storage/index.ts'
import { hashOfCode } from './codes.ts'
import { giftStatements } from './statements.ts'

/** Tells the page of a gift that can be redeemed. */
export function createRedeemable(deps: { storage: Storage; now: () => Date }) {
  const { byCode } = giftStatements(deps.storage)
  return async (page: string): Promise<boolean> => {
    const typed = paramAt(page, '/membership/redeem/')
    const code_hash = typed === null ? null : hashOfCode(typed)
    const [gift] = code_hash === null ? [] : await deps.storage.all(byCode, { code_hash })
    return (
      gift?.status === 'ready' && (gift.expires_at === null || gift.expires_at > deps.now().toISOString())
    )
  }
}
