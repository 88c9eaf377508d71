import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GateId, Names } from '../core/register.ts'
import type { GateTerms, Guard, View } from '../memberships/members/index.ts'
import { keepUnshared } from '../site/hosts/asked.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import type { Visitor } from '../site/pages/index.ts'
import { deniedOnNode, givingBack } from './denied.ts'
import { openedOnce } from './opened-once.ts'
import { noVisitor, prerenderedGate } from './route-gates.ts'

/** The parts of Nitro's event used here: https://h3.dev/guide/api/h3event */
export interface NuxtEvent {
  readonly path: string
  readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse }
  readonly context: object
}

/** Access for pages while the server renders them. Pages are bundled for browsers, too, so they import no server code. */
export interface PageAccess {
  /** Answers in place of a closed page, and throws then, so that nothing of it is rendered. */
  readonly enter: (gates: GateId | readonly GateId[]) => Promise<void>
  readonly visitor: () => Promise<Visitor>
}

interface OurContext {
  membership: View
  membershipPage?: PageAccess & { readonly m: Membership<Names> }
  /** Set by Nitro where it keeps the answer for everybody. */
  readonly cache?: object
}

interface NitroApp {
  readonly h3App: { handler: (event: NuxtEvent) => Promise<unknown> }
  readonly hooks: { hook(event: 'close', listener: () => Promise<void>): unknown }
}

/** Connects an instance to Nuxt's server. `plugin` is a plugin of Nitro; the module of `membership/nuxt` adds it. */
export function nuxtHost(open: () => Promise<Membership<Names>>) {
  const instance = openedOnce(open)

  const plugin = ({ h3App, hooks }: NitroApp): void => {
    // Opened with the server, so that its jobs run before the first request, which repeats a failure.
    let isClosing = false
    instance().catch((error) => (isClosing ? undefined : console.error(error)))
    hooks.hook('close', async () => {
      isClosing = true
      await (await instance()).close()
    })
    const page = h3App.handler
    // A middleware of h3 ends before the page begins, and `membership()` would find nobody there.
    h3App.handler = async (event) => {
      // Nitro sets it when the page begins, and its page for errors needs it if the instance does not open.
      Object.assign(event.context, { nitro: { errors: [] } })
      const m = await instance()
      noteHost(event.node.req, { kind: 'nuxt', request: event })
      await passing(m, event, async (view) => {
        contextOf(event, m, view)
        await page(event).catch((error: unknown) => {
          if (!answered.has(event.node.res)) throw error
        })
      })
    }
  }

  return { instance, plugin }
}

/** Nitro's plugin while it writes pages at build time: nothing is opened, and nobody is there. */
export function prerendering({ h3App }: NitroApp): void {
  const page = h3App.handler
  h3App.handler = (event) => {
    const enter = async () => {
      throw new TypeError(prerenderedGate(event.path))
    }
    Object.defineProperty(event.context, 'membership', { get: noVisitor, configurable: true })
    Object.assign(event.context, { membershipPage: { enter, visitor: async () => noVisitor() } })
    return page(event)
  }
}

/**
 * Wraps an endpoint so that it admits only members with any of the gates: `defineEventHandler(gated('pro',
 * handler))`. With `free` among the terms, some pages are open to others.
 */
export function gated<E extends NuxtEvent, T>(
  gates: GateId | readonly GateId[],
  handler: (event: E) => T,
  terms: GateTerms = {},
) {
  const guards = new WeakMap<Membership<Names>, Guard<IncomingMessage>>()
  return async (event: E): Promise<Awaited<T> | undefined> => {
    const m = (event.context as OurContext).membershipPage?.m
    if (m === undefined)
      throw new TypeError('This server has no membership: add membership/nuxt to `modules`.')
    const guard = guards.get(m) ?? m.guard(gates, terms)
    guards.set(m, guard)
    if (!(await isAdmitted(m, event, { gates, guard }))) return undefined
    const answer = await handler(event)
    return typeof answer === 'string' ? (guard.mark(answer) as typeof answer) : answer
  }
}

// Answers that were sent in place of a closed page.
const answered = new WeakSet<ServerResponse>()

/** Runs the page, unless the address is ours, and waits for the end of the answer. */
function passing(
  m: Membership<Names>,
  { node }: NuxtEvent,
  page: (view: View) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { req, res } = node
    res.once('close', resolve)
    m.listener()(req, res, (error) => {
      if (error !== undefined) return reject(error)
      page((req as typeof req & { membership: View }).membership).then(resolve, reject)
    })
  })
}

function contextOf(event: NuxtEvent, m: Membership<Names>, view: View): void {
  const context = event.context as OurContext
  const { req, res } = event.node
  Object.defineProperty(context, 'membership', {
    configurable: true,
    get: () => {
      mustBeUncached(event)
      return view
    },
  })
  context.membershipPage = {
    m,
    enter: async (gates) => {
      const isOpen = await isAdmitted(m, event, { gates, guard: m.guard(gates) })
      if (!isOpen) throw Object.assign(new Error('This page is for members.'), { statusCode: 403 })
    },
    visitor: async () => {
      mustBeUncached(event)
      keepUnshared(res)
      return m.pages.visitor(Object.assign(req, { res }))
    },
  }
}

/** True if the visitor may pass; else the answer is sent. */
async function isAdmitted(
  m: Membership<Names>,
  event: NuxtEvent,
  { gates, guard }: { gates: GateId | readonly GateId[]; guard: Guard<IncomingMessage> },
): Promise<boolean> {
  mustBeUncached(event)
  const { req: request, res: response } = event.node
  let isShared = false
  keepUnshared(response, () => isShared)
  const result = await guard(request, response)
  if (result.allowed) {
    givingBack(response, result)
    return true
  }
  const { error, answer } = result
  isShared = result.isShared ?? false
  answered.add(response)
  if (answer) {
    response.statusCode = answer.status
    if (answer.location !== null) response.setHeader('Location', answer.location)
    response.end()
    return false
  }
  const { status, type, body } = await deniedOnNode(m, { request, response }, { gates, error })
  response.statusCode = status
  response.setHeader('Content-Type', type)
  response.end(type.startsWith('text/html') ? guard.mark(body) : body)
  return false
}

/** @throws for a route whose answers Nitro keeps for everybody: https://nitro.build/guide/cache */
function mustBeUncached({ path, context }: NuxtEvent): void {
  if ((context as OurContext).cache === undefined) return
  throw new TypeError(
    `${path} asks who is there, but Nitro keeps its answer for everybody. Take it out of the cached routes.`,
  )
}
