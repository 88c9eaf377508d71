import type { Context } from 'koa'
import { formatDay } from '../../core/dto/index.ts'
import { isMembershipError, toProblem } from '../../core/errors.ts'
import { wantsJson } from '../../core/http/forms.ts'
import type { Render } from '../../core/pages/index.ts'
import { type ChooseTexts, loadSpokenTexts } from '../../core/words/index.ts'

/** Dependencies of the partners' pages. */
export interface PartnerPagesDeps {
  readonly render: Render
  /** Site folder whose texts override the package's; null for none. */
  readonly root: string | null
  readonly defaultLanguage: string
  readonly siteName: string
  readonly formToken: (ctx: Context) => string
  readonly now: () => Date
}

// Everything comes from the page's own origin. Its one script accepts pictures that are dragged onto it.
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface PartnerPages {
  show(ctx: Context, template: string, data?: Record<string, unknown>): void
  /** Renders an error as a page; programs get the problem document. @throws errors that are not ours */
  fail(ctx: Context, error: unknown, template?: string, data?: Record<string, unknown>): void
}

/** Renders partners' pages in the language that the browser asks for. */
export function createPartnerPages(deps: PartnerPagesDeps): PartnerPages {
  const texts: ChooseTexts = loadSpokenTexts({
    folder: 'partner/words',
    of: 'the partners’ pages',
    root: deps.root ?? false,
    defaultLanguage: deps.defaultLanguage,
  })

  const show = (ctx: Context, template: string, data: Record<string, unknown> = {}): void => {
    const { t, has, language, direction, locale } = texts(accepted(ctx))
    ctx.set({
      'Content-Security-Policy': policy,
      'Cache-Control': 'private, no-store',
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.vary('Accept-Language')
    ctx.type = 'html'
    ctx.body = deps.render(`partner/${template}`, {
      t,
      hasWord: has,
      language,
      direction,
      site: deps.siteName,
      token: deps.formToken(ctx),
      day: (at: string | null) => (at === null ? '' : formatDay(at, deps.now(), locale)),
      number: (value: number) => new Intl.NumberFormat(locale).format(value),
      isInside: true,
      ...data,
    })
  }

  const fail = (ctx: Context, error: unknown, template = 'problem', data = {}): void => {
    if (!isMembershipError(error) || wantsJson(ctx)) throw error
    const { status, retryAfterSeconds } = toProblem(error)
    if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(Math.ceil(retryAfterSeconds)))
    const { code, message } = error
    ctx.status = status
    show(ctx, template, { ...data, problem: { code, message } })
    ctx.status = status
  }

  return { show, fail }
}

function accepted(ctx: Context): string[] {
  const tags = ctx.acceptsLanguages()
  return (Array.isArray(tags) ? tags : []).filter((tag) => tag !== '*')
}
