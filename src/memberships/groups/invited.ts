import { paramAt } from '../../core/http/addresses.ts'
import type { Tokens } from '../../core/http/tokens.ts'

/** Tells the page of an open invitation to a seat that opens something. */
export function createInvitedTo(deps: { tokens: Tokens; isOpenSeat: (seatId: string) => Promise<boolean> }) {
  return async (page: string): Promise<boolean> => {
    const token = paramAt(page, '/membership/join/')
    const claims = token === null ? null : await deps.tokens.verify('group-join', token)
    return claims !== null && deps.isOpenSeat(String(claims.seat))
  }
}
