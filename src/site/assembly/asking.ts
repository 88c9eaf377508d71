import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import type { Callers } from '../../core/http/callers.ts'
import { requireStanding, type Standing, unverified } from '../../core/http/route-access.ts'
import type { User, View } from '../../memberships/members/index.ts'
import { isContext, isWebRequest } from '../hosts/contexts.ts'
import type { HostRequest } from '../options.ts'
import type { People } from './people.ts'

/** Who wants something done from code: a member, or whoever sends a request, with what their session may do. */
export type Who =
  | { readonly user: User; readonly request?: undefined }
  | {
      readonly request: HostRequest
      readonly user?: undefined
      /** Node's answer, where cookies are set. */
      readonly response?: ServerResponse
      /** The address that a web-standard request comes from, where no proxy says it. */
      readonly address?: string
    }

/** Who asks, and where: null where code names a member. */
export interface Asking {
  readonly user: User | null
  readonly view: View | null
  readonly ctx: Context | null
  /** What a web-standard answer has to set. */
  readonly headers: () => Headers
}

/** Finds out who asks, and treats them as our own forms do: counted by address, and not from another site's page. */
export const createAsking = (people: People, callers: Callers) => {
  const { contexts, freshViewOf, viewOf, refuseForeign } = people

  const ask = async (who: Who): Promise<Asking> => {
    if (who.request === undefined)
      return { user: who.user, view: null, ctx: null, headers: () => new Headers() }
    const { request, response, address } = who
    const ctx = isContext(request) ? request : contexts.of(request, response, address)
    if (!readsOnly.has(ctx.method)) refuseForeign(ctx)
    await callers.count(callers.callerOf(ctx.req))
    const view = isContext(request) ? await freshViewOf(ctx) : await viewOf(request)
    const headers = () =>
      isContext(request) || !isWebRequest(request) ? new Headers() : contexts.headersFor(request)
    return { user: view.user(), view, ctx, headers }
  }

  /** The member, where the session may do this to that subscription. @throws ERR_LOGIN_REQUIRED, ERR_UNVERIFIED */
  const member = async (who: Who, needs: Standing, subscriptionId?: string | null): Promise<User> => {
    const { user, view } = await ask(who)
    if (view !== null) {
      requireStanding(needs, view.standing())
      const found = user?.subscriptions().find(({ id }) => id === subscriptionId)
      if (found && !view.mayTouch(found)) throw unverified()
    }
    if (user !== null) return user
    throw new MembershipError('ERR_LOGIN_REQUIRED', 'Nobody is logged in.', { action: 'Log in first.' })
  }
  return { ask, member }
}
export type AskingRoom = ReturnType<typeof createAsking>

const readsOnly = new Set(['GET', 'HEAD'])
