import type { Request, RequestHandler, Response } from 'express'
import type { GateId } from '../core/register.ts'
import type { View } from '../memberships/members/index.ts'
import { keepUnshared } from '../site/hosts/asked.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { deniedOnNode } from './denied.ts'

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

/** Replaces the gate's own answer. */
export interface ExpressGateOptions {
  onDenied?: (request: Request, response: Response) => unknown
}

/** Connects an instance to Express. */
export const expressHost = (m: Membership) => {
  const routes = m.listener()

  /** Handles all routes and sets every request's view. Mount it above every body parser. */
  const middleware = (): RequestHandler => (request, response, next) =>
    routes(request, response, (error) => {
      if (error === undefined) response.locals.membership = request.membership
      next(error)
    })

  /** Admits members with any of the gates. Its answers are never cached for others. */
  const gate = (gates: GateId | readonly GateId[], { onDenied }: ExpressGateOptions = {}): RequestHandler => {
    const guard = m.guard(gates)
    return async (request, response, next) => {
      keepUnshared(response)
      try {
        const { allowed, error } = await guard(request)
        if (allowed) return next()
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
