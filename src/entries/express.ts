import type { Request, RequestHandler, Response } from 'express'
import type { Names, RegisteredNames } from '../core/register.ts'
import type { GateTerms, View } from '../memberships/members/index.ts'
import { keepUnshared } from '../site/hosts/asked.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { deniedOnNode, givingBack, isHtml } from './denied.ts'

declare global {
  interface MembershipHosts {
    express: Request
  }
  namespace Express {
    interface Request {
      /** The visitor's view, set by `middleware()`. */
      membership?: View
    }
    interface Locals {
      /** The same view, for templates. */
      membership?: View
    }
  }
}

/** Free pages, and what replaces the gate's own answer. */
export interface ExpressGateOptions extends GateTerms {
  onDenied?: (request: Request, response: Response) => unknown
}

/** Connects an instance to Express. */
export function expressHost<N extends Names = RegisteredNames>(m: Membership<N>) {
  const routes = m.listener()

  /** Handles all routes and sets every request's view. Mount it above every body parser. */
  const middleware = (): RequestHandler => (request, response, next) =>
    routes(request, response, (error) => {
      if (error === undefined) response.locals.membership = request.membership
      next(error)
    })

  /** Admits members with any of the gates. Its answers are never cached for others. */
  const gate = (
    gates: N['gates'] | readonly N['gates'][],
    { onDenied, ...terms }: ExpressGateOptions = {},
  ): RequestHandler => {
    const guard = m.guard(gates, terms)
    return async (request, response, next) => {
      let isShared = false
      keepUnshared(response, () => isShared)
      try {
        const result = await guard(request, response)
        markingPages(response, guard.mark)
        if (result.allowed) {
          givingBack(response, result)
          return next()
        }
        const { error, answer } = result
        isShared = result.isShared ?? false
        if (answer) {
          if (answer.location !== null) response.setHeader('Location', answer.location)
          return void response.status(answer.status).end()
        }
        if (onDenied) return void (await onDenied(request, response))
        const { status, type, body } = await deniedOnNode(m, { request, response }, { gates, error })
        response.status(status).type(type).send(body)
      } catch (failure) {
        // Express 4 does not wait for a handler's promise.
        next(failure)
      }
    }
  }

  /** Returns the hidden field `token` for a form on this page. */
  const formToken = (request: Request, response: Response): string => m.pages.formToken(request, response)
  /** Returns a complete form with one button. */
  const form = (request: Request, response: Response, input: FormInput): string =>
    m.pages.form(request, response, input)

  return { middleware, gate, formToken, form }
}

/** Adds the data for search engines to the page that a route sends or renders. */
export function markingPages(response: Pick<Response, 'send' | 'get'>, mark: (html: string) => string): void {
  const send = response.send.bind(response)
  response.send = (body) =>
    // Express sends text as HTML unless the route says otherwise.
    send(typeof body === 'string' && isHtml(response.get('Content-Type') ?? 'text/html') ? mark(body) : body)
}
