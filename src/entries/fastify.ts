import type { FastifyPluginCallback, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import type { GateId } from '../core/register.ts'
import type { View } from '../memberships/members/index.ts'
import { keepUnshared } from '../site/hosts/asked.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { deniedOnNode } from './denied.ts'

declare global {
  interface MembershipHosts {
    fastify: FastifyRequest
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The visitor, looked up by the plugin. */
    readonly membership: View
  }
}

/** The answer of a gate. */
export interface FastifyGateOptions {
  onDenied?: (request: FastifyRequest, reply: FastifyReply) => unknown
}

/** An instance in Fastify's manner. */
export const fastifyHost = (m: Membership) => {
  const routes = m.listener()

  /** The visitor of every request, and all routes: `await app.register(plugin)`. */
  const plugin: FastifyPluginCallback = (app, _options, registered) => {
    app.decorateRequest('membership', {
      getter() {
        return (this.raw as unknown as { membership: View }).membership
      },
    })
    // Before any body is parsed: what is ours is answered from the raw bytes, and goes no further.
    app.addHook('onRequest', (request, reply, done) => {
      noteHost(request.raw, { kind: 'fastify', request })
      routes(request.raw, reply.raw, (error) => done(error as Error))
    })
    // A body that was read in between has left the scope of the view.
    app.addHook('preHandler', ({ membership }, _reply, done) => m.runAs(membership, () => done()))
    registered()
  }
  // For the whole application, not for the plugin's own corner of it:
  // https://fastify.dev/docs/latest/Reference/Plugins/#handle-the-scope
  Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'membership',
  })

  /** As `preHandler` of a route: lets members with any of the gates pass; whatever it answers is for this visitor alone. */
  const gate = (
    gates: GateId | readonly GateId[],
    { onDenied }: FastifyGateOptions = {},
  ): preHandlerAsyncHookHandler => {
    const guard = m.guard(gates)
    return async (request, reply) => {
      keepUnshared(reply.raw)
      const { allowed, error } = await guard(request.raw)
      if (allowed) return
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

  // Fastify's own cookies would take the place of what is set beside it.
  const handOver = (reply: FastifyReply): void => {
    const { raw } = reply
    const cookies = [raw.getHeader('set-cookie') ?? []].flat()
    raw.removeHeader('set-cookie')
    for (const cookie of cookies) reply.header('set-cookie', cookie)
  }
  /** The hidden field `token` of a form on this page. */
  const formToken = (request: FastifyRequest, reply: FastifyReply): string => {
    const token = m.pages.formToken(request.raw, reply.raw)
    handOver(reply)
    return token
  }
  /** A whole form with one button. */
  const form = (request: FastifyRequest, reply: FastifyReply, input: FormInput): string => {
    const html = m.pages.form(request.raw, reply.raw, input)
    handOver(reply)
    return html
  }

  return { plugin, gate, formToken, form }
}
