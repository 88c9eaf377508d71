import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Middleware } from 'koa'
import { lazy } from '../lazy.ts'
import { packageFolder } from './index.ts'

/**
 * `GET /membership/errors/{code}`: the page that a problem's `type` opens, with the code's section of docs/errors.md as
 * text.
 */
export function errorTexts(): Middleware {
  const texts = lazy(() => {
    const sections = readFileSync(join(packageFolder(), 'docs', 'errors.md'), 'utf8')
      .split(/^## /m)
      .slice(1)
    return new Map(sections.map((section) => [section.split('\n', 1)[0]!, section]))
  })
  return (ctx, next) => {
    const code = ctx.method === 'GET' ? /^\/membership\/errors\/([^/]+)$/.exec(ctx.path)?.[1] : undefined
    const text = code === undefined ? undefined : texts().get(code)
    if (text === undefined) return next()
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = text
    return undefined
  }
}
