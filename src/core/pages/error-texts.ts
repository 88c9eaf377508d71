import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Middleware } from 'koa'
import { packageFolder } from './index.ts'

/** `GET /membership/errors/{code}`: where the `type` of a problem leads, the code's part of docs/errors.md as text. */
export const errorTexts = (): Middleware => {
  const sections = readFileSync(join(packageFolder(), 'docs', 'errors.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
  const texts = new Map(
    sections.map((section) => [`/membership/errors/${section.split('\n', 1)[0]}`, section]),
  )
  return (ctx, next) => {
    const text = ctx.method === 'GET' ? texts.get(ctx.path) : undefined
    if (text === undefined) return next()
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = text
    return undefined
  }
}
