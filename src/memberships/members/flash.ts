import type { Context } from 'koa'
import { wantsJson } from '../../core/http/forms.ts'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import { type CookieDeps, createCookies } from './cookies.ts'

/** The last action, shown as one line on the next page. It carries a code and its values, never text. */
export interface Flash {
  readonly code: FlashCode
  readonly subscription?: string
  readonly price?: string
  /** Moments, ISO 8601 UTC. */
  readonly at?: string
  readonly email?: string
}

export const flashCodes = [
  'changed',
  'changing',
  'kept',
  'canceled',
  'ended',
  'paused',
  'discounted',
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
  'gift_sent',
  'gift_redeemed',
  'group_invited',
  'group_full',
  'group_removed',
  'group_handed_over',
  'group_left',
  'group_joined',
] as const
/** One of {@link flashCodes}. */
export type FlashCode = (typeof flashCodes)[number]

/** Shows the result of an action once, on the browser's next page. */
export interface FlashMessages {
  say(ctx: Context, flash: Flash): Promise<void>
  /** Takes the message and forgets it; null where there is none. */
  heard(ctx: Context): Promise<Flash | null>
}

// A browser follows a form at once. A message that nobody read by then is out of date.
const seconds = 120

/**
 * The message is signed for the browser that acted. Neither a link nor another site can make a page claim an action.
 */
export function createFlash(
  deps: CookieDeps & { readonly tokens: Pick<Tokens, 'sign' | 'verify'> },
): FlashMessages {
  const { tokens } = deps
  const cookies = createCookies(deps)
  return {
    say: async (ctx, flash) => {
      if (wantsJson(ctx)) return
      const claims = Object.fromEntries(Object.entries(flash).filter(([, value]) => value !== undefined))
      const browser = fingerprint(cookies.browser(ctx))
      cookies.setFlash(ctx, await tokens.sign('flash', { ...claims, browser }, seconds), seconds)
    },
    heard: async (ctx) => {
      const token = cookies.flash(ctx)
      if (token === null) return null
      cookies.setFlash(ctx, null, 0)
      const claims = await tokens.verify('flash', token)
      if (claims === null || claims.browser !== fingerprint(cookies.browser(ctx))) return null
      const { code, subscription, price, at, email } = claims as unknown as Flash
      return flashCodes.includes(code) ? { code, subscription, price, at, email } : null
    },
  }
}
