import Koa, { type Middleware } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { problems } from '../../core/http/problems.ts'
import type { Log } from '../../core/log.ts'

/** Builds a Node handler from routes. Unknown paths get a 404. */
export const standaloneOf = (routes: Middleware, log: Log): ReturnType<Koa['callback']> => {
  const app = new Koa()
  app.silent = true
  // No host middleware waits for these answers, so the busiest routes may end them themselves.
  Object.assign(app.context, { answersAlone: true, isBorrowed: true })
  app.use(problems(log))
  app.use(routes)
  app.use(() => {
    throw new MembershipError('ERR_NOT_FOUND', 'There is nothing at this address.')
  })
  return app.callback()
}
