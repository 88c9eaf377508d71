import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { GateId } from '../core/register.ts'
import type { View } from '../memberships/members/index.ts'
import { withUnshared } from '../site/hosts/asked.ts'
import { noteHost } from '../site/identify-input.ts'
import type { Membership } from '../site/membership.ts'
import type { CheckoutTerms, FormInput, Offer } from '../site/membership-api.ts'
import { deniedOnWeb } from './denied.ts'
import { openedOnce } from './opened-once.ts'

/** The purchase of a server action: a form of the page, or the same as an object. */
export type NextInput = FormData | (Offer & CheckoutTerms)

/** An instance in the manner of Next's app router. It is opened with the first request, not while Next builds. */
export const nextHost = (open: () => Promise<Membership>) => {
  const instance = openedOnce(open)

  const answer = async (request: Request): Promise<Response> => {
    noteHost(request, { kind: 'next', request })
    return (await instance()).fetch(request)
  }
  /** For `app/membership/[...path]/route.ts`: `export const { GET, POST } = host.handlers`. */
  const handlers = { GET: answer, HEAD: answer, POST: answer, PATCH: answer, PUT: answer, DELETE: answer }

  /** The visitor, in server components, server actions and route handlers. Next answers what asks it as private. */
  const view = async (): Promise<View> => (await instance()).viewOf(await requestNow('GET'))

  /** Lets members with any of the gates pass, and sends everybody else to `otherwise`. */
  const gate = async (gates: GateId | readonly GateId[], otherwise: string): Promise<View> => {
    const found = await view()
    const { allowed } = await (await instance()).guard(gates)(found)
    return allowed ? found : redirect(otherwise)
  }

  /** A route handler that lets members with any of the gates pass. */
  const gated =
    <Rest extends readonly unknown[]>(
      gates: GateId | readonly GateId[],
      handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
    ) =>
    async (request: Request, ...rest: Rest): Promise<Response> => {
      noteHost(request, { kind: 'next', request })
      const m = await instance()
      const { allowed, error } = await m.guard(gates)(request)
      const given = allowed
        ? await handler(request, ...rest)
        : await deniedOnWeb(m, request, { gates, error })
      return withUnshared(given)
    }

  /** In a server action: begins a purchase and sends the buyer to where it is paid. */
  const subscribe = async (input: NextInput): Promise<never> => {
    const m = await instance()
    const request = await requestNow('POST')
    const { url, headers: set } = await m.checkout.start({ ...wantedIn(input), request })
    await keep(set)
    return redirect(url)
  }

  /** In a route handler or a server action: the hidden field `token` of a form that is posted to a route of ours. */
  const formToken = async (): Promise<string> => {
    const { token, headers: set } = (await instance()).pages.formToken(await requestNow('GET'))
    await keep(set)
    return token
  }
  /** The same as a whole form. */
  const form = async (input: FormInput): Promise<string> => {
    const { html, headers: set } = (await instance()).pages.form(await requestNow('GET'), input)
    await keep(set)
    return html
  }

  return { instance, handlers, view, gate, gated, subscribe, formToken, form, requestNow }
}

/** The running request, as far as Next tells it: its headers, and from them where the site is reached. */
const requestNow = async (method: 'GET' | 'POST'): Promise<Request> => {
  const given = new Headers(await headers())
  // A form that was made before on this page has set cookies of ours, which the next form must know.
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

const ownCookie = /^(?:__Host-)?membership_\w+=/

const wantedIn = (input: NextInput): Offer & CheckoutTerms => {
  if (!(input instanceof FormData)) return input
  const text = (name: string): string | undefined => {
    const value = input.get(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const quantity = text('quantity')
  const named = Object.fromEntries(
    ['price', 'plan', 'currency', 'code', 'provider', 'redirect'].map((name) => [name, text(name)]),
  )
  // What a form leaves out, the purchase refuses by name.
  return { ...named, ...(quantity === undefined ? {} : { quantity: Number(quantity) }) } as Offer &
    CheckoutTerms
}

/** Next takes cookies by their parts. */
const keep = async (set: Headers): Promise<void> => {
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
