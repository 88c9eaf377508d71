import type { RestOptions } from './rest.ts'

/** An access token and for how many seconds it is good. */
export interface Token {
  readonly token: string
  readonly seconds: number
}

/**
 * OAuth 2 by client credentials: one token for all calls, asked for with the first of them, kept until a minute before it
 * ends, and asked for once however many calls wait for it. One that is refused is given up; whoever was refused with an
 * older one takes the newer. https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export const createClientCredentials = (given: {
  readonly ask: () => Promise<Token>
  readonly now: () => Date
}): RestOptions['headers'] => {
  const { ask, now } = given
  let kept: { readonly token: string; readonly until: number } | null = null
  let asking: Promise<string> | null = null

  const renew = async (): Promise<string> => {
    const begun = now().getTime()
    const { token, seconds } = await ask()
    kept = { token, until: begun + Math.max(0, seconds - earlySeconds) * 1000 }
    return token
  }

  const current = (): Promise<string> => {
    if (kept !== null && now().getTime() < kept.until) return Promise.resolve(kept.token)
    asking ??= renew().finally(() => {
      asking = null
    })
    return asking
  }

  return async (refused) => {
    if (kept !== null && refused?.authorization === bearer(kept.token)) kept = null
    return { authorization: bearer(await current()) }
  }
}

// A call takes its time, and so do clocks.
const earlySeconds = 60

const bearer = (token: string): string => `Bearer ${token}`
