import type { Context } from 'koa'
import type { Tokens } from '../../core/http/tokens.ts'
import { createNewcomers } from '../../memberships/checkout/index.ts'
import { createSaying, createSessions } from '../../memberships/members/index.ts'
import type { Ground } from './ground.ts'

/** What is kept for a browser: who is logged in there, what its next page says, and what it may log in to by buying. */
export const createSessionRooms = (
  { config, storage, now, randomId }: Pick<Ground, 'config' | 'storage' | 'now' | 'randomId'>,
  tokens: Tokens,
) => {
  const secure = (ctx: Context) => config.url?.startsWith('https:') ?? ctx.secure
  const sessions = createSessions({ storage, now, randomId, tokens, secure })
  return {
    secure,
    sessions,
    saying: createSaying({ tokens, secure, randomId }),
    newcomers: createNewcomers({ storage, sessions, now }),
  }
}
