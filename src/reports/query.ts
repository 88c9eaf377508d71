import type { Context } from 'koa'
import { MembershipError } from '../core/errors.ts'
import { maxPage, type Page } from './answers/ready.ts'
import { type ReportStatus, reportStatuses } from './schemas.ts'

/** A query parameter that may stand once. @throws ERR_PARAMETER */
export const queryValue = (ctx: Context, name: string): string | undefined => {
  const value = ctx.query[name]
  if (!Array.isArray(value)) return value
  throw new MembershipError('ERR_PARAMETER', `The query parameter "${name}" was given more than once.`, {
    action: `Send ${name} once; percent-encode what stands in it.`,
  })
}

/** Reads `expand`. @throws ERR_PARAMETER */
export const expandOf = (ctx: Context): boolean => {
  const value = queryValue(ctx, 'expand')
  if (value === undefined) return false
  if (value === '1') return true
  throw new MembershipError('ERR_PARAMETER', `The query parameter "expand" is "${value.slice(0, 50)}".`, {
    action: 'Send expand=1, or leave it out.',
  })
}

const firstPage: Page = { expand: false, limit: maxPage, cursor: null, status: null }

/** Reads the page that is wanted of a list. @throws ERR_PARAMETER */
export const pageOf = (ctx: Context): Page => {
  if (ctx.querystring === '') return firstPage
  const limit = queryValue(ctx, 'limit') ?? String(maxPage)
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxPage)
    throw new MembershipError('ERR_PARAMETER', `The query parameter "limit" is "${limit.slice(0, 50)}".`, {
      action: `Send a whole number from 1 to ${maxPage}, or leave it out.`,
    })
  return {
    expand: expandOf(ctx),
    limit: Number(limit),
    cursor: queryValue(ctx, 'cursor') ?? null,
    status: statusOf(ctx),
  }
}

const statusOf = (ctx: Context): ReportStatus | null => {
  const value = queryValue(ctx, 'status')
  if (value === undefined) return null
  const known = reportStatuses.find((status) => status === value)
  if (known) return known
  throw new MembershipError('ERR_PARAMETER', `The query parameter "status" is "${value.slice(0, 50)}".`, {
    action: `Send one of ${reportStatuses.join(', ')}, or leave it out.`,
  })
}

/** True where the caller would rather not wait. Source: RFC 7240, section 4.1. */
export const prefersAsync = (ctx: Context): boolean =>
  ctx
    .get('Prefer')
    .split(/[,;]/)
    .some((part) => part.trim().toLowerCase() === 'respond-async')
