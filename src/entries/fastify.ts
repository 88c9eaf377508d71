import type { FastifyPluginCallback, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import type { Names, RegisteredNames } from '../core/register.ts'
import type { GateTerms, View } from '../memberships/members/index.ts'
import { keepUnshared } from '../site/hosts/asked.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { deniedOnNode, givingBack, isHtml } from './denied.ts'

declare global {
  interface MembershipHosts {
    fastify: FastifyRequest
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The visitor's view, set by the plugin. */
    readonly membership: View
  }
}

/** Free pages, and what replaces the gate's own answer. */
export interface FastifyGateOptions extends GateTerms {
  onDenied?: (request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Connects an instance to Fastify. */
export function fastifyHost<N extends Names = RegisteredNames>(m: Membership<N>) {
  const routes = m.listener()

  /** Handles all routes and sets every request's view: `await app.register(plugin)`. */
  const plugin: FastifyPluginCallback = (app, _options, registered) => {
    app.decorateRequest('membership', {
      getter() {
        return (this.raw as unknown as { membership: View }).membership
      },
    })
    // Runs before any body is parsed. Our routes read the raw bytes, and their requests go no further.
    app.addHook('onRequest', (request, reply, done) => {
      noteHost(request.raw, { kind: 'fastify', request })
      routes(request.raw, reply.raw, (error) => done(error as Error))
    })
    // Reading a body in between leaves the view's async scope, so it is entered again.
    app.addHook('onSend', (request, reply, payload, done) => {
      const mark = marks.get(request.raw)
      const isPage = typeof payload === 'string' && isHtml(reply.getHeader('content-type'))
      done(null, mark && isPage ? mark(payload) : payload)
    })
    app.addHook('preHandler', ({ membership }, _reply, done) => m.runAs(membership, () => done()))
    registered()
  }
  // Applies to the whole application, not only to the plugin's own scope:
  // https://fastify.dev/docs/latest/Reference/Plugins/#handle-the-scope
  Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'membership',
  })

  /**
   * `preHandler` of a route: admits members with any of the gates. Its answers are never cached for others.
   */
  const gate = (
    gates: N['gates'] | readonly N['gates'][],
    { onDenied, ...terms }: FastifyGateOptions = {},
  ): preHandlerAsyncHookHandler => {
    const guard = m.guard(gates, terms)
    return async (request, reply) => {
      let isShared = false
      keepUnshared(reply.raw, () => isShared)
      const result = await guard(request.raw, reply.raw)
      handOver(reply)
      markPages(request.raw, guard.mark)
      if (result.allowed) return givingBack(reply.raw, result)
      const { error, answer } = result
      isShared = result.isShared ?? false
      if (answer) {
        if (answer.location !== null) reply.header('location', answer.location)
        return reply.code(answer.status).send()
      }
      if (onDenied) {
        const answer = await onDenied(request, reply)
        return reply.sent ? reply : reply.send(answer)
      }
      const { raw } = request
      const { status, type, body } = await deniedOnNode(
        m,
        { request: raw, response: reply.raw },
        { gates, error },
      )
      handOver(reply)
      return reply.code(status).type(type).send(body)
    }
  }

  // Fastify's own cookies would replace those set on the raw response.
  const handOver = (reply: FastifyReply): void => {
    const { raw } = reply
    const cookies = [raw.getHeader('set-cookie') ?? []].flat()
    raw.removeHeader('set-cookie')
    for (const cookie of cookies) reply.header('set-cookie', cookie)
  }
  /** Returns the hidden field `token` for a form on this page. */
  const formToken = (request: FastifyRequest, reply: FastifyReply): string => {
    const token = m.pages.formToken(request.raw, reply.raw)
    handOver(reply)
    return token
  }
  /** Returns a complete form with one button. */
  const form = (request: FastifyRequest, reply: FastifyReply, input: FormInput): string => {
    const html = m.pages.form(request.raw, reply.raw, input)
    handOver(reply)
    return html
  }

  return { plugin, gate, formToken, form }
}

// What a metered gate adds to the page of a request.
const marks = new WeakMap<object, (html: string) => string>()

/** Notes that the page of this request gets the data for search engines. */
export function markPages(request: object, mark: (html: string) => string): void {
  marks.set(request, mark)
}
