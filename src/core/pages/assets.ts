import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Middleware } from 'koa'
import { packageFolder } from './index.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves the style sheets, scripts and images of the package's pages below `prefix`, from memory. */
export const assets = (prefix: string): Middleware => {
  const folder = join(packageFolder(), 'templates', 'assets')
  const files = new Map(
    readdirSync(folder)
      .filter((name) => extname(name) in types)
      .map((name) => {
        const bytes = readFileSync(join(folder, name))
        return [
          `${prefix}/${name}`,
          {
            bytes,
            type: types[extname(name)]!,
            etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`,
          },
        ]
      }),
  )
  return (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    ctx.set({ ETag: file.etag, 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' })
    ctx.type = file.type
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else ctx.body = file.bytes
    return undefined
  }
}
