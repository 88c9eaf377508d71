import type { Context } from 'koa'

/** Sends a CSV file with a byte order mark, by which spreadsheets recognise UTF-8. */
export function sendCsv(ctx: Context, name: string, csv: string): void {
  ctx.set('Content-Disposition', `attachment; filename="${name}"`)
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.type = 'text/csv; charset=utf-8'
  ctx.body = `\uFEFF${csv}`
}
