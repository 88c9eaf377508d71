import type { Middleware } from 'koa'
import { makes, onKoa } from '../../core/http/on-koa.ts'
import { createGuard, gateMiddleware, type View } from '../../memberships/members/index.ts'
import { signWith } from '../../providers/configured.ts'
import type { HostRequest } from '../options.ts'
import { createForms } from './forms.ts'
import type { Ground } from './ground.ts'
import type { Membership } from './instance.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'
import type { createRoutes } from './routes.ts'
import { createServing } from './serving.ts'

/** What a host connects its own routes, pages and logins with. */
export const hostApi = (deps: {
  ground: Ground
  rooms: Rooms
  people: People
  routes: ReturnType<typeof createRoutes>
  chain: { readonly middleware: Middleware; readonly koa: Middleware }
  scope: <T>(view: View, fn: () => T) => T
}): Pick<
  Membership,
  | 'koa'
  | 'middleware'
  | 'gate'
  | 'lockedPage'
  | 'guard'
  | 'listener'
  | 'fetch'
  | 'formToken'
  | 'form'
  | 'checkForm'
  | 'voiceOf'
  | 'said'
  | 'openSession'
  | 'endSession'
  | 'render'
  | 'sign'
> => {
  const { rooms, people, routes, scope } = deps
  const { middleware, koa } = deps.chain
  const { log, now } = deps.ground
  const { contexts, viewOf, viewRules, formToken } = people
  const { reports, sessions, render, configured } = rooms
  const plans = () => viewRules.plans
  return {
    koa: makes('m.koa', () => onKoa('m.koa()', koa)),
    middleware: makes('m.middleware', () => onKoa('m.middleware()', middleware)),
    gate: gateMiddleware(viewOf, log, plans, routes.lockedPage),
    lockedPage: routes.lockedPage,
    guard: createGuard<HostRequest>(people.seenView, log, viewRules),
    ...createServing({ koa, reports, people, log, scope }),
    ...createForms({ contexts, tokenFor: formToken, render }),
    checkForm: people.checkForm,
    voiceOf: people.voiceOf,
    said: people.spoken,
    openSession: sessions.open,
    endSession: sessions.end,
    render,
    sign: (key, body) => signWith(configured, key, body, now()),
  }
}
