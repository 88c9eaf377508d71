import type { Tokens } from '../../core/http/tokens.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'

/** Mails that a member may do without, switched off by a link that is good for nothing else. */
export const createCourtesy = (deps: {
  storage: Storage
  tokens: Pick<Tokens, 'sign' | 'verify'>
  siteUrl: () => string
  now: () => Date
}) => {
  const { storage, tokens, siteUrl, now } = deps
  const off = createDocuments(storage, 'courtesy-mails-off')

  const memberOf = async (token: string): Promise<string | null> => {
    const claims = await tokens.verify(purpose, token)
    return typeof claims?.member === 'string' ? claims.member : null
  }

  return {
    isOff: async (memberId: string): Promise<boolean> => (await off.get<string>(memberId)) !== null,
    urlOf: async (memberId: string): Promise<string> =>
      `${siteUrl()}/membership/unsubscribe/${await tokens.sign(purpose, { member: memberId }, ttlSeconds)}`,
    /** Whether the link is one of ours. */
    isLink: async (token: string): Promise<boolean> => (await memberOf(token)) !== null,
    /** False for a link that is none, or is too old. */
    switchOff: async (token: string): Promise<boolean> => {
      const member = await memberOf(token)
      if (member !== null) await off.put(member, now().toISOString())
      return member !== null
    },
  }
}
export type CourtesyRoom = ReturnType<typeof createCourtesy>

const purpose = 'unsubscribe'
// A mail is opened again years later; the link can do no more than end such mails.
const ttlSeconds = 3 * 365 * 86_400
