import type { RestOptions } from './rest.ts'

/** An access token, and the seconds for which it is valid. */
export interface Token {
  readonly token: string
  readonly seconds: number
}

/**
 * OAuth 2 client credentials: all calls share one token. It is requested with the first call, kept until a
 * minute before it expires, and requested once even if many calls wait. A refused token is dropped; a call
 * that used an older one tries the newer. https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export function createClientCredentials(given: {
  readonly ask: () => Promise<Token>
  readonly now: () => Date
}): RestOptions['headers'] {
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

// Allows for the duration of a call and for clock differences.
const earlySeconds = 60

function bearer(token: string): string {
  return `Bearer ${token}`
}
