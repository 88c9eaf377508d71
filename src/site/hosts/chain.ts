import type Koa from 'koa'
import type { Context, Middleware } from 'koa'

/** Combines several middlewares into one. */
export function chain(parts: readonly Middleware[]): Middleware {
  // As Koa's own composition: each part gets a promise from `next()`, and an error rejects it.
  const run = (ctx: Context, at: number, next: Koa.Next): Promise<unknown> => {
    const part = parts[at]
    try {
      return Promise.resolve(part ? part(ctx as never, () => run(ctx, at + 1, next)) : next())
    } catch (error) {
      return Promise.reject(error)
    }
  }
  return (ctx, next) => run(ctx as Context, 0, next)
}

/** Does the same below a folder, which is given in lower case. Every other page skips all of them at once. */
export function below(folder: string, parts: readonly Middleware[]): Middleware {
  const inside = chain(parts)
  // Routers ignore case.
  return (ctx, next) =>
    ctx.path.slice(0, folder.length).toLowerCase() === folder ? inside(ctx, next) : next()
}
