import type { Context, Middleware } from 'koa'
import { MembershipError } from '../errors.ts'

/** Tells a Koa context from a bare request, a member and null. */
export function isContext(subject: unknown): subject is Context {
  return typeof subject === 'object' && subject !== null && 'req' in subject && 'state' in subject
}

/** Tells a web-standard request, of any implementation, from Node's. */
export function isWebRequest(subject: object): subject is Request {
  return typeof (subject as Partial<Request>).headers?.get === 'function'
}

/**
 * Wraps Koa middleware to fail clearly when another host calls it. Otherwise that host would wait for ever, or fail
 * with a useless message.
 * @throws ERR_USAGE
 */
export function onKoa(name: string, middleware: Middleware): Middleware {
  return (ctx, next) => {
    if (isContext(ctx)) return middleware(ctx, next)
    throw new MembershipError('ERR_USAGE', `${name} is middleware for Koa, and another host called it.`, {
      action:
        'Take what this host has: expressHost(m) of membership/express, and likewise membership/fastify, /hono and /next; m.listener() for plain Node, m.fetch for web-standard servers.',
    })
  }
}

/**
 * Wraps a function that creates middleware, to fail clearly when it is mounted without a call: `app.use(m.koa)`.
 * @throws ERR_USAGE
 */
export function makes<T>(name: string, make: () => T) {
  return (...given: readonly unknown[]): T => {
    if (given.length === 0) return make()
    throw new MembershipError(
      'ERR_USAGE',
      `${name} was mounted as it is; called, it gives what is mounted.`,
      {
        action: `Write app.use(${name}())`,
      },
    )
  }
}
