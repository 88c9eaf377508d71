import type { Context } from 'koa'
import { wantsJson } from '../../core/http/forms.ts'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import { createCookies } from './cookies.ts'

/**
 * The last action, for one line on the next page: never words, but the name of ours, with what they are filled from.
 */
export interface Flash {
  readonly code: FlashCode
  readonly subscription?: string
  readonly price?: string
  /** Moments, ISO 8601 UTC. */
  readonly at?: string
  readonly email?: string
}

/** Everything that can be said to have been done. */
export const flashCodes = [
  'changed',
  'changing',
  'kept',
  'canceled',
  'ended',
  'paused',
  'resumed',
  'saved',
  'email_asked',
  'email_changed',
  'email_back',
  'merge_asked',
  'merge_other_asked',
  'merged',
  'merged_back',
  'logged_in',
  'logged_out',
  'logged_out_everywhere',
  'deleted',
  'deleting',
] as const
/** One of {@link flashCodes}. */
export type FlashCode = (typeof flashCodes)[number]

/** Says on the next page of this browser what was done on this one, once. */
export interface FlashMessages {
  say(ctx: Context, flash: Flash): Promise<void>
  /** Takes the line to be said, which is forgotten by it; null where there is none. */
  heard(ctx: Context): Promise<Flash | null>
}

// The page that a form leads to is asked for at once; what nobody read is no news any more.
const seconds = 120

/** Signed, for the browser that did it: neither a link nor another site can make a page say that something was done. */
export const createFlash = (deps: {
  tokens: Pick<Tokens, 'sign' | 'verify'>
  secure: (ctx: Context) => boolean
  randomId: () => string
}): FlashMessages => {
  const { tokens } = deps
  const cookies = createCookies(deps)
  return {
    say: async (ctx, flash) => {
      if (wantsJson(ctx)) return
      const claims = Object.fromEntries(Object.entries(flash).filter(([, value]) => value !== undefined))
      const browser = fingerprint(cookies.browser(ctx))
      cookies.setFlash(ctx, await tokens.sign('said', { ...claims, browser }, seconds), seconds)
    },
    heard: async (ctx) => {
      const token = cookies.flash(ctx)
      if (token === null) return null
      cookies.setFlash(ctx, null, 0)
      const claims = await tokens.verify('said', token)
      if (claims === null || claims.browser !== fingerprint(cookies.browser(ctx))) return null
      const { code, subscription, price, at, email } = claims as unknown as Flash
      return flashCodes.includes(code) ? { code, subscription, price, at, email } : null
    },
  }
}
