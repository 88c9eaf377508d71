import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { Names, RegisteredNames } from '../core/register.ts'
import type { GateTerms, Guard, View } from '../memberships/members/index.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import type { CheckoutTerms, FormInput, Offer } from '../site/membership-api.ts'
import { admittedOnWeb } from './denied.ts'
import { openedOnce } from './opened-once.ts'

/** Purchase of a server action: a form of the page, or the same as an object. */
export type NextInput = FormData | (Offer & CheckoutTerms)

/**
 * Connects an instance to Next's app router. The instance opens with the first request, not while Next
 * builds.
 */
export function nextHost<N extends Names = RegisteredNames>(open: () => Promise<Membership<N>>) {
  const instance = openedOnce(open)

  const answer = async (request: Request): Promise<Response> => {
    noteHost(request, { kind: 'next', request })
    return (await instance()).fetch(request)
  }
  /** For `app/membership/[...path]/route.ts`: `export const { GET, POST } = host.handlers`. */
  const handlers = { GET: answer, HEAD: answer, POST: answer, PATCH: answer, PUT: answer, DELETE: answer }

  /**
   * Returns the visitor's view in server components, server actions and route handlers. Next marks pages that
   * use it as private.
   */
  const view = async (): Promise<View> => {
    // Asked first: while Next builds, this ends the rendering before anything is opened.
    const request = await requestNow('GET')
    return (await instance()).viewOf(request)
  }

  /** Admits members with any of the gates, and redirects everybody else to `otherwise`. */
  const gate = async (gates: N['gates'] | readonly N['gates'][], otherwise: string): Promise<View> => {
    const found = await view()
    const { allowed } = await (await instance()).guard(gates)(found)
    return allowed ? found : redirect(otherwise)
  }

  /**
   * Wraps a route handler so that it admits only members with any of the gates. With `free` among the terms,
   * some pages are open to others.
   */
  const gated = <Rest extends readonly unknown[]>(
    gates: N['gates'] | readonly N['gates'][],
    handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
    terms: GateTerms = {},
  ) => {
    let guard: Guard<Request> | undefined
    return async (request: Request, ...rest: Rest): Promise<Response> => {
      noteHost(request, { kind: 'next', request })
      const m = await instance()
      guard ??= m.guard(gates, terms)
      return admittedOnWeb(m, request, { gates, guard, page: () => handler(request, ...rest) })
    }
  }

  /** Begins a purchase in a server action, and redirects the buyer to the checkout. */
  const subscribe = async (input: NextInput): Promise<never> => {
    const request = await requestNow('POST')
    const m = await instance()
    const { url, headers: set } = await m.checkout.start({ ...wantedIn(input), request })
    await keep(set)
    return redirect(url)
  }

  /**
   * Returns, in a route handler or server action, the hidden field `token` of a form that posts to our
   * routes.
   */
  const formToken = async (): Promise<string> => {
    const request = await requestNow('GET')
    const { token, headers: set } = (await instance()).pages.formToken(request)
    await keep(set)
    return token
  }
  /** Returns the same as a complete form. */
  const form = async (input: FormInput): Promise<string> => {
    const request = await requestNow('GET')
    const { html, headers: set } = (await instance()).pages.form(request, input)
    await keep(set)
    return html
  }

  return { instance, handlers, view, gate, gated, subscribe, formToken, form, requestNow }
}

/** Builds the running request from what Next tells: its headers, and from them the site's address. */
async function requestNow(method: 'GET' | 'POST'): Promise<Request> {
  const given = new Headers(await headers())
  // An earlier form on this page may have set our cookies; the next form must see them.
  const sent = (given.get('cookie') ?? '')
    .split(/;\s*/)
    .filter((pair) => pair !== '' && !ownCookie.test(pair))
  const own = (await cookies()).getAll().filter(({ name }) => ownCookie.test(`${name}=`))
  given.set('cookie', [...sent, ...own.map(({ name, value }) => `${name}=${value}`)].join('; '))
  const first = (name: string): string | undefined => given.get(name)?.split(',')[0]?.trim()
  const protocol = first('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const request = new Request(`${protocol}://${first('host') ?? 'localhost'}/`, { method, headers: given })
  noteHost(request, { kind: 'next', request: undefined })
  return request
}

const ownCookie = /^(?:__(?:Host|Secure)-)?membership_\w+=/

function wantedIn(input: NextInput): Offer & CheckoutTerms {
  if (!(input instanceof FormData)) return input
  const text = (name: string): string | undefined => {
    const value = input.get(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const quantity = text('quantity')
  const named = Object.fromEntries(
    ['price', 'plan', 'currency', 'code', 'provider', 'redirect'].map((name) => [name, text(name)]),
  )
  // If a form leaves something out, the purchase refuses it by name.
  return { ...named, ...(quantity === undefined ? {} : { quantity: Number(quantity) }) } as Offer &
    CheckoutTerms
}

/** Next sets cookies by name and attributes. */
async function keep(set: Headers): Promise<void> {
  const jar = set.getSetCookie().length === 0 ? null : await cookies()
  for (const line of set.getSetCookie()) {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const at = pair.indexOf('=')
    const given = new Map(
      attributes.map((attribute) => attribute.split(/=(.*)/s)).map(([k = '', v]) => [k.toLowerCase(), v]),
    )
    jar?.set({
      name: pair.slice(0, at),
      value: pair.slice(at + 1),
      path: given.get('path') ?? '/',
      httpOnly: given.has('httponly'),
      secure: given.has('secure'),
      sameSite: 'lax',
      expires: given.has('expires') ? new Date(given.get('expires') ?? 0) : undefined,
    })
  }
}
