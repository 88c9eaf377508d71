import type Koa from 'koa'
import type { Context, Middleware } from 'koa'

/** One middleware of several. */
export const chain = (parts: readonly Middleware[]): Middleware => {
  const run = (ctx: Context, at: number, next: Koa.Next): Promise<unknown> => {
    const part = parts[at]
    return Promise.resolve(part ? part(ctx as never, () => run(ctx, at + 1, next)) : next())
  }
  return (ctx, next) => run(ctx as Context, 0, next)
}

/** The same for what lies below a folder, in small letters: every other page goes past all of them at once. */
export const below = (folder: string, parts: readonly Middleware[]): Middleware => {
  const inside = chain(parts)
  // Routers know no difference of case.
  return (ctx, next) =>
    ctx.path.slice(0, folder.length).toLowerCase() === folder ? inside(ctx, next) : next()
}
