import type { Context } from 'koa'
import { wantsJson } from '../../core/http/forms.ts'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import { createCookies } from './cookies.ts'

/**
 * The last action, for one line on the next page: never words, but the name of ours, with what they are filled from.
 */
export interface Said {
  readonly code: SaidCode
  readonly subscription?: string
  readonly price?: string
  /** Moments, ISO 8601 UTC. */
  readonly at?: string
  readonly email?: string
}

/** Everything that can be said to have been done. */
export const saidCodes = [
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
/** One of {@link saidCodes}. */
export type SaidCode = (typeof saidCodes)[number]

/** Says on the next page of this browser what was done on this one, once. */
export interface Saying {
  say(ctx: Context, said: Said): Promise<void>
  /** Takes the line to be said, which is forgotten by it; null where there is none. */
  heard(ctx: Context): Promise<Said | null>
}

// The page that a form leads to is asked for at once; what nobody read is no news any more.
const seconds = 120

/** Signed, for the browser that did it: neither a link nor another site can make a page say that something was done. */
export const createSaying = (deps: {
  tokens: Pick<Tokens, 'sign' | 'verify'>
  secure: (ctx: Context) => boolean
  randomId: () => string
}): Saying => {
  const { tokens } = deps
  const cookies = createCookies(deps)
  return {
    say: async (ctx, said) => {
      if (wantsJson(ctx)) return
      const claims = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
      const browser = fingerprint(cookies.browser(ctx))
      cookies.setSaid(ctx, await tokens.sign('said', { ...claims, browser }, seconds), seconds)
    },
    heard: async (ctx) => {
      const token = cookies.said(ctx)
      if (token === null) return null
      cookies.setSaid(ctx, null, 0)
      const claims = await tokens.verify('said', token)
      if (claims === null || claims.browser !== fingerprint(cookies.browser(ctx))) return null
      const { code, subscription, price, at, email } = claims as unknown as Said
      return saidCodes.includes(code) ? { code, subscription, price, at, email } : null
    },
  }
}
