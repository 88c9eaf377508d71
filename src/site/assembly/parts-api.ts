import type { Middleware } from 'koa'
import { makes, onKoa } from '../../core/http/on-koa.ts'
import { chain } from '../hosts/chain.ts'
import type { Membership } from './instance.ts'
import type { Rooms } from './rooms.ts'
import type { createRoutes } from './routes.ts'
import type { Selling } from './selling.ts'
import { publicUrl } from './site-name.ts'

/** The parts that a host may mount alone, each with what code asks of it. */
export const partsApi = (deps: {
  config: Membership['config']
  rooms: Rooms
  routes: ReturnType<typeof createRoutes>
  middleware: Middleware
  selling: Selling
}): Pick<Membership, 'webhooks' | 'checkout' | 'login' | 'account'> => {
  const { config, rooms, routes, middleware, selling } = deps
  const { list, get, replay, release } = rooms.inbox
  return {
    webhooks: {
      ...{ list, get, replay, release },
      receive: rooms.receive,
      pull: rooms.pull,
      routes: makes('m.webhooks.routes', () => onKoa('m.webhooks.routes()', routes.webhooks)),
    },
    checkout: {
      routes: () => chain([middleware, ...routes.purchases, ...routes.shop]),
      start: selling.start,
    },
    login: { routes: () => chain([middleware, routes.login]) },
    account: {
      routes: () => chain([middleware, routes.account]),
      readable: rooms.selfService.readable,
      fieldsOf: (user) => rooms.fieldsOf(user.roles),
      export: rooms.exportOf,
      setEmail: rooms.emailUndo.set,
      loginLink: (memberId) => rooms.links.give(memberId, publicUrl(config)),
      delete: rooms.deletions.request,
    },
  }
}
