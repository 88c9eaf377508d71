import Koa, { type Middleware } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { problems } from '../../core/http/problems.ts'
import type { Log } from '../../core/log.ts'

/** Routes as a Node handler of their own: what they do not know is answered as unknown. */
export const standaloneOf = (routes: Middleware, log: Log): ReturnType<Koa['callback']> => {
  const app = new Koa()
  app.silent = true
  // No middleware of a host's waits here for an answer to leave: the busiest may end theirs themselves.
  Object.assign(app.context, { answersAlone: true, isBorrowed: true })
  app.use(problems(log))
  app.use(routes)
  app.use(() => {
    throw new MembershipError('ERR_NOT_FOUND', 'There is nothing at this address.')
  })
  return app.callback()
}
