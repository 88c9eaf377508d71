import Router from '@koa/router'
import { problems } from '../../core/http/problems.ts'
import type { Log } from '../../core/log.ts'
import type { Health } from './health.ts'

/** `GET /membership/health`: 200 while there is no problem, else 503, both with the same JSON. */
export function healthRouter({ health, log }: { health: () => Promise<Health>; log: Log }): Router {
  const router = new Router()
  router.get('/membership/health', problems(log), async (ctx) => {
    ctx.set('Cache-Control', 'no-store')
    const report = await health()
    ctx.status = report.status === 'ok' ? 200 : 503
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(report)
  })
  return router
}
