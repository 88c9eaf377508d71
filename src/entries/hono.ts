import type { Context, MiddlewareHandler } from 'hono'
import type { Names, RegisteredNames } from '../core/register.ts'
import type { GateTerms, View } from '../memberships/members/index.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { admittedOnWeb } from './denied.ts'

declare global {
  interface MembershipHosts {
    hono: Context
  }
}

declare module 'hono' {
  interface ContextVariableMap {
    /** The visitor's view, set by `middleware()`. */
    membership: View
  }
}

/** Free pages, and what replaces the gate's own answer. */
export interface HonoGateOptions extends GateTerms {
  onDenied?: (c: Context) => Response | Promise<Response>
}

/** Connects an instance to Hono. */
export function honoHost<N extends Names = RegisteredNames>(m: Membership<N>) {
  /** Handles all routes and sets every request's view: `app.use(middleware())`. */
  const middleware = (): MiddlewareHandler => async (c, next) => {
    noteHost(c.req.raw, { kind: 'hono', request: c })
    const answer = await m.fetch(c.req.raw, {
      address: addressOf(c),
      next: async (view) => {
        c.set('membership', view)
        await next()
        return c.res
      },
    })
    if (answer !== c.res) answerWith(c, answer)
  }

  /** Admits members with any of the gates. Its answers are never cached for others. */
  const gate = (
    gates: N['gates'] | readonly N['gates'][],
    { onDenied, ...terms }: HonoGateOptions = {},
  ): MiddlewareHandler => {
    const guard = m.guard(gates, terms)
    return async (c, next) => {
      const answer = await admittedOnWeb(m, c.req.raw, {
        gates,
        guard,
        page: async () => {
          await next()
          return c.res
        },
        ...(onDenied ? { onDenied: () => onDenied(c) } : {}),
      })
      answerWith(c, answer)
    }
  }

  const handOver = (c: Context, headers: Headers): void => {
    for (const cookie of headers.getSetCookie()) c.header('Set-Cookie', cookie, { append: true })
  }
  /** Returns the hidden field `token` for a form on this page. */
  const formToken = (c: Context): string => {
    const { token, headers } = m.pages.formToken(c.req.raw)
    handOver(c, headers)
    return token
  }
  /** Returns a complete form with one button. */
  const form = (c: Context, input: FormInput): string => {
    const { html, headers } = m.pages.form(c.req.raw, input)
    handOver(c, headers)
    return html
  }

  return { middleware, gate, formToken, form }
}

// Otherwise Hono adds the headers of the earlier answer to this one.
function answerWith(c: Context, answer: Response): void {
  c.res = undefined
  c.res = answer
}

// The adapter for Node passes the connection along:
// https://hono.dev/docs/getting-started/nodejs#access-the-raw-node-js-apis
function addressOf({ env }: Context): string | undefined {
  return (env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)?.incoming?.socket
    ?.remoteAddress
}
