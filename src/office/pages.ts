import type { Context } from 'koa'
import {
  currencyDigits,
  formatDay,
  type Money,
  type Plan,
  titleOf,
  type WriteMoney,
} from '../core/dto/index.ts'
import { isMembershipError, type MembershipError, toProblem } from '../core/errors.ts'
import { wantsJson } from '../core/http/forms.ts'
import type { Render } from '../core/pages/index.ts'
import { mailName } from '../memberships/mails/index.ts'
import type { Insider } from './office-access.ts'
import type { OfficePage } from './own-pages.ts'
import type { loadWords, Words } from './words.ts'

/** Tools that show the office's pages. */
export interface PageTools {
  readonly render: Render
  readonly words: ReturnType<typeof loadWords>
  readonly formToken: (ctx: Context) => string
  readonly siteName: string
  readonly money: WriteMoney
  readonly ownPages: readonly OfficePage[]
  readonly hasIndex: boolean
  readonly plans: () => readonly Plan[]
  readonly now: () => Date
}

// Allows only the page's own resources. Its single script focuses the search.
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface Pages {
  show(ctx: Context, who: Insider | null, template: string, data?: Record<string, unknown>): void
  /**
   * Shows a page about an error; programs get the problem itself.
   * @throws errors of other origin
   */
  fail(ctx: Context, who: Insider | null, error: unknown): void
  wordsOf(ctx: Context, who: Insider | null): Words
}

/** Shows pages of the office in the visitor's language. */
export function createPages(tools: PageTools): Pages {
  const wordsOf = (ctx: Context, who: Insider | null): Words => tools.words([who?.language, ...accepted(ctx)])

  const show = (ctx: Context, who: Insider | null, template: string, data: Record<string, unknown> = {}) => {
    // The layout writes `body` unescaped, so a page must not pass that name.
    if ('body' in data) throw new TypeError(`office/${template} is given a body`)
    const words = wordsOf(ctx, who)
    const { locale } = words
    ctx.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.type = 'html'
    ctx.body = tools.render(`office/${template}`, {
      t: words.t,
      hasWord: words.has,
      mailName: (kind: string) => mailName(kind, words.language),
      language: words.language,
      direction: words.direction,
      locale,
      who,
      mayAct: who !== null && who.role !== 'viewer',
      site: tools.siteName,
      path: ctx.path,
      token: tools.formToken(ctx),
      ownPages: tools.ownPages,
      hasIndex: tools.hasIndex,
      hasGifts: tools.plans().some(({ prices }) => prices.some(({ gives }) => gives !== undefined)),
      hasGroups: tools.plans().some(({ seats }) => seats !== undefined),
      hasRaises: tools.plans().some(hasDearerPrice),
      day: (at: string | null) => (at === null ? '' : formatDay(at, tools.now(), locale)),
      moment: (at: string | null) => (at === null ? '' : momentOf(at, locale)),
      month: (month: string) => monthWords(month, locale),
      number: (value: number) => new Intl.NumberFormat(locale).format(value),
      percent: (share: number) =>
        new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(share),
      money: (money: Money) => tools.money(money, locale),
      /** Formats a sum in minor units of ISO 4217. */
      sum: ({ amount, currency }: Money) => tools.money({ amount: Math.round(amount), currency }, locale),
      brief: (value: number, currency: string | null) => briefly(value, currency, locale),
      title: titleOf,
      ...data,
    })
  }

  const fail = (ctx: Context, who: Insider | null, error: unknown): void => {
    if (!isMembershipError(error) || wantsJson(ctx)) throw error
    const { status, retryAfterSeconds } = toProblem(error)
    if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(Math.ceil(retryAfterSeconds)))
    ctx.status = status
    show(ctx, who, 'problem', { problem: problemOf(error) })
    ctx.status = status
  }
  return { show, fail, wordsOf }
}

// The languages that the browser accepts, best first.
function accepted(ctx: Context): string[] {
  const tags = ctx.acceptsLanguages()
  return (Array.isArray(tags) ? tags : []).filter((tag) => tag !== '*')
}

function problemOf({ code, message, action }: MembershipError) {
  return { code, message, action: action ?? null }
}

function momentOf(at: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(
    new Date(at),
  )
}

function monthWords(month: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00.000Z`),
  )
}

/** A number, or a sum in minor units of ISO 4217, short for a chart's scale: "€1.2K". */
function briefly(value: number, currency: string | null, locale: string): string {
  return new Intl.NumberFormat(locale, {
    notation: 'compact',
    maximumFractionDigits: 1,
    ...(currency === null ? {} : { style: 'currency', currency, minimumFractionDigits: 0 }),
  }).format(currency === null ? value : value / 10 ** currencyDigits(currency))
}

/** True for a plan with two prices of one rhythm and currency: members may move from one to the other. */
function hasDearerPrice({ prices }: Plan): boolean {
  return prices.some((price) =>
    prices.some(
      (other) =>
        other !== price &&
        price.interval !== null &&
        other.interval === price.interval &&
        other.interval_count === price.interval_count &&
        other.currency === price.currency,
    ),
  )
}
