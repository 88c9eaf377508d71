import type { Middleware } from 'koa'
import type { koaBody } from 'koa-body'
import { lazy } from '../lazy.ts'

/** Loads koa-body with the first form. It is a tenth of what a start loads, and most requests are no forms. */
export function formBody(options: Parameters<typeof koaBody>[0]): Middleware {
  const parser = lazy(async () => (await import('koa-body')).koaBody(options))
  return async (ctx, next) => (await parser())(ctx, next)
}
