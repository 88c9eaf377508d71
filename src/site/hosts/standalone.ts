import Koa, { type Middleware } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { problems } from '../../core/http/problems.ts'
import type { Log } from '../../core/log.ts'
import { chain } from './chain.ts'

/** Builds a Node handler from routes. Unknown paths get a 404. */
export function standaloneOf(
  routes: Middleware,
  log: Log,
  below: (routes: Middleware) => Middleware = (unchanged) => unchanged,
): ReturnType<Koa['callback']> {
  const app = new Koa()
  app.silent = true
  // No host middleware waits for these answers, so the busiest routes may end them themselves.
  Object.assign(app.context, { answersAlone: true, isBorrowed: true })
  const nothing: Middleware = () => {
    throw new MembershipError('ERR_NOT_FOUND', 'There is nothing at this address.')
  }
  app.use(below(chain([problems(log), routes, nothing])))
  return app.callback()
}
