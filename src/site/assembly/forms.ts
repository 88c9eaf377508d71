import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import type { Render } from '../../core/pages/index.ts'
import { notePersonal } from '../hosts/asked.ts'
import { type Contexts, isContext, isWebRequest, requireUnsent } from '../hosts/contexts.ts'

/** A button: what a view's `subscriptionAction` gives, with what stands on it. */
export interface FormWish {
  /** Where the form is posted; null makes no form. */
  readonly url: string | null
  readonly fields?: Readonly<Record<string, string>>
  readonly label: string
}

/** The token of a form, on every host; its cookie is set on the answer, or handed over where that is the host's to make. */
export interface FormToken {
  (ctx: Context): string
  (request: IncomingMessage, response: ServerResponse): string
  (request: Request): { readonly token: string; readonly headers: Headers }
}

/** The same as a whole form. */
export interface Form {
  (ctx: Context, wish: FormWish): string
  (request: IncomingMessage, response: ServerResponse, wish: FormWish): string
  (request: Request, wish: FormWish): { readonly html: string; readonly headers: Headers }
}

/** Forms of a host's own pages. */
export const createForms = (deps: {
  contexts: Contexts
  tokenFor: (ctx: Context) => string
  render: Render
}): { formToken: FormToken; form: Form } => {
  const { contexts, tokenFor, render } = deps

  const tokenIn = (ctx: Context): string => {
    requireUnsent(ctx)
    notePersonal(ctx.res)
    return tokenFor(ctx)
  }
  const formToken = (subject: Context | IncomingMessage | Request, response?: ServerResponse) => {
    if (isContext(subject)) return tokenIn(subject)
    if (isWebRequest(subject)) {
      const ctx = contexts.of(subject)
      notePersonal(ctx.res)
      const token = tokenFor(ctx)
      return { token, headers: contexts.headersFor(subject) }
    }
    return tokenIn(contexts.of(subject, requireResponse(response)))
  }
  const form = (subject: Context | IncomingMessage | Request, ...rest: readonly unknown[]) => {
    const { url, fields = {}, label } = rest.at(-1) as FormWish
    const write = (token: string): string =>
      url === null ? '' : render('parts/form', { url, fields, label, token })
    const made = formToken(subject, rest.length > 1 ? (rest[0] as ServerResponse) : undefined)
    return typeof made === 'string' ? write(made) : { html: write(made.token), headers: made.headers }
  }
  return { formToken: formToken as FormToken, form: form as Form }
}

const requireResponse = (response: ServerResponse | undefined): ServerResponse => {
  if (response) return response
  throw new MembershipError('ERR_USAGE', 'A form for a request of Node needs its response, too.', {
    action: 'Call m.formToken(request, response): the cookie that the token goes with is set there.',
  })
}
