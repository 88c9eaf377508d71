import type { IncomingMessage, ServerResponse } from 'node:http'
import { Catch } from '@nestjs/common'
import { MembershipError } from '../core/errors.ts'
import type { Names, RegisteredNames } from '../core/register.ts'
import type { GateTerms, Guard } from '../memberships/members/index.ts'
import { keepUnshared } from '../site/hosts/asked.ts'
import type { Membership } from '../site/membership.ts'
import type { FormInput } from '../site/membership-api.ts'
import { type DeniedAnswer, deniedAnswer, deniedOnNode, givingBack } from './denied.ts'
import { expressHost, markingPages } from './express.ts'
import { fastifyHost, markPages } from './fastify.ts'
import { openedOnce } from './opened-once.ts'

/** The part of NestJS's application used here. */
export interface NestApplication {
  getHttpAdapter(): { getType(): string }
  use(...handlers: unknown[]): unknown
  useGlobalFilters(...filters: unknown[]): unknown
  /** Method of the Fastify adapter only. */
  register?(plugin: unknown): unknown
}

/** NestJS's argument to guards and exception filters, from which they get the running request. */
export interface NestContext {
  switchToHttp(): { getRequest<T>(): T; getResponse<T>(): T }
}

/** A request or response of either adapter: Express's is Node's own, Fastify's wraps it. */
type Wrapped<T> = T | { readonly raw: T }

/** The host below NestJS, whose forms are used. */
type Below = ReturnType<typeof expressHost> | ReturnType<typeof fastifyHost>

/**
 * Connects an instance to NestJS, on its Express or Fastify adapter. The instance opens when it is mounted,
 * so that controllers can name gates before.
 */
export function nestHost<N extends Names = RegisteredNames>(open: () => Promise<Membership<N>>) {
  const instance = openedOnce(open)
  let mounted: Below | null = null

  /**
   * Handles all routes, sets every request's view, and turns our errors into problem documents. Call it after
   * `NestFactory.create`.
   */
  const mount = async (app: NestApplication): Promise<Membership<N>> => {
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

  /**
   * `@UseGuards(gate('pro'))`: admits members with any of the gates. Its answers are never cached for others.
   */
  const gate = (gates: N['gates'] | readonly N['gates'][], terms: GateTerms = {}) => {
    let guard: Guard<IncomingMessage> | undefined
    return {
      canActivate: async (context: NestContext): Promise<boolean> => {
        const http = context.switchToHttp()
        const given = http.getResponse<Wrapped<ServerResponse>>()
        const response = bare(given)
        let isShared = false
        keepUnshared(response, () => isShared)
        const request = bare(http.getRequest<Wrapped<IncomingMessage>>())
        const m = await instance()
        guard ??= m.guard(gates, terms)
        const result = await guard(request, response)
        if ('raw' in given) markPages(request, guard.mark)
        else markingPages(given as unknown as Parameters<typeof markingPages>[0], guard.mark)
        if (result.allowed) {
          givingBack(response, result)
          return true
        }
        const { error, answer } = result
        isShared = result.isShared ?? false
        if (answer?.location) response.setHeader('Location', answer.location)
        const own = answer && { status: answer.status, type: 'text/plain', body: '' }
        answers.set(error, own ?? (await deniedOnNode(m, { request, response }, { gates, error })))
        throw error
      },
    }
  }

  const below = (): Below => {
    if (mounted) return mounted
    throw new MembershipError('ERR_NOT_INSTALLED', 'This NestJS application has no membership yet.', {
      action: 'Call await mount(app) after NestFactory.create().',
    })
  }
  /** Returns the hidden field `token` for a form on this page. */
  const formToken = (request: unknown, response: unknown): string =>
    below().formToken(request as never, response as never)
  /** Returns a complete form with one button. */
  const form = (request: unknown, response: unknown, input: FormInput): string =>
    below().form(request as never, response as never, input)

  return { instance, mount, gate, formToken, form, who }
}

/** Returns the caller for `m.checkout.start` and `m.subscriptions`, on either adapter. */
function who(request: Wrapped<IncomingMessage>, response: Wrapped<ServerResponse>) {
  return {
    request: bare(request),
    response: bare(response),
  }
}

function bare<T extends object>(given: Wrapped<T>): T {
  return 'raw' in given ? given.raw : given
}

/** The part that Express's and Fastify's responses share. */
interface Answer {
  status(code: number): Answer
  type(type: string): Answer
  send(body: string): unknown
}

// NestJS's filters write a guard's answer synchronously, so it is prepared here.
const answers = new WeakMap<MembershipError, DeniedAnswer>()

/** NestJS would answer an error that is not its own with a bare 500. */
class Problems {
  catch(error: MembershipError, host: NestContext): void {
    const { status, type, body } = answers.get(error) ?? deniedAnswer(error)
    host.switchToHttp().getResponse<Answer>().status(status).type(type).send(body)
  }
}
Catch(MembershipError)(Problems)
