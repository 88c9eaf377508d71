import type { IncomingMessage, ServerResponse } from 'node:http'
import { Catch } from '@nestjs/common'
import { MembershipError } from '../core/errors.ts'
import type { GateId } from '../core/register.ts'
import { keepUnshared } from '../site/hosts/asked.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { type DeniedAnswer, deniedAnswer, deniedOnNode } from './denied.ts'
import { expressHost } from './express.ts'
import { fastifyHost } from './fastify.ts'
import { openedOnce } from './opened-once.ts'

/** As much of NestJS's application as is used here. */
export interface NestApplication {
  getHttpAdapter(): { getType(): string }
  use(...handlers: unknown[]): unknown
  useGlobalFilters(...filters: unknown[]): unknown
  /** The method of the Fastify adapter. */
  register?(plugin: unknown): unknown
}

/** The view of the running request that NestJS gives a guard or an exception filter. */
export interface NestContext {
  switchToHttp(): { getRequest<T>(): T; getResponse<T>(): T }
}

/** A request or an answer of either adapter: Express's is Node's own, Fastify's has it. */
type Wrapped<T> = T | { readonly raw: T }

/** The host below, whose forms are made in its manner. */
type Below = ReturnType<typeof expressHost> | ReturnType<typeof fastifyHost>

/** An instance in NestJS's manner, on its Express and its Fastify adapter. It is opened when it is mounted, so that
 *  controllers may name gates before. */
export const nestHost = (open: () => Promise<Membership>) => {
  const instance = openedOnce(open)
  let mounted: Below | null = null

  /** The visitor of every request, all routes, and our errors as problem documents: after `NestFactory.create`. */
  const mount = async (app: NestApplication): Promise<Membership> => {
    const m = await instance()
    app.useGlobalFilters(new Problems())
    if (app.getHttpAdapter().getType() === 'fastify') {
      const host = fastifyHost(m)
      await app.register?.(host.plugin)
      mounted = host
    } else {
      const host = expressHost(m)
      app.use(host.middleware())
      mounted = host
    }
    return m
  }

  /** `@UseGuards(gate('pro'))`: lets members with any of the gates pass; whatever it answers is for this visitor alone. */
  const gate = (gates: GateId | readonly GateId[]) => ({
    canActivate: async (context: NestContext): Promise<boolean> => {
      const http = context.switchToHttp()
      const response = bare(http.getResponse<Wrapped<ServerResponse>>())
      keepUnshared(response)
      const request = bare(http.getRequest<Wrapped<IncomingMessage>>())
      const m = await instance()
      const { allowed, error } = await m.guard(gates)(request)
      if (allowed) return true
      answers.set(error, await deniedOnNode(m, { request, response }, { gates, error }))
      throw error
    },
  })

  const below = (): Below => {
    if (mounted) return mounted
    throw new MembershipError('ERR_NOT_INSTALLED', 'This NestJS application has no membership yet.', {
      action: 'Call await mount(app) after NestFactory.create().',
    })
  }
  /** The hidden field `token` of a form on this page. */
  const formToken = (request: unknown, response: unknown): string =>
    below().formToken(request as never, response as never)
  /** A whole form with one button. */
  const form = (request: unknown, response: unknown, input: FormInput): string =>
    below().form(request as never, response as never, input)

  return { instance, mount, gate, formToken, form, who }
}

/** The caller, for `m.checkout.start` and `m.subscriptions`, on either adapter. */
const who = (request: Wrapped<IncomingMessage>, response: Wrapped<ServerResponse>) => ({
  request: bare(request),
  response: bare(response),
})

const bare = <T extends object>(given: Wrapped<T>): T => ('raw' in given ? given.raw : given)

/** The part that Express's and Fastify's answers have in common. */
interface Answer {
  status(code: number): Answer
  type(type: string): Answer
  send(body: string): unknown
}

// NestJS answers whom a guard stops by its filters, which wait for nothing.
const answers = new WeakMap<MembershipError, DeniedAnswer>()

/** NestJS would answer an error that is not its own with a bare 500. */
class Problems {
  catch(error: MembershipError, host: NestContext): void {
    const { status, type, body } = answers.get(error) ?? deniedAnswer(error)
    host.switchToHttp().getResponse<Answer>().status(status).type(type).send(body)
  }
}
Catch(MembershipError)(Problems)
