import type { ServerResponse } from 'node:http'
import onHeaders from 'on-headers'
import { type View, wrapView } from '../../memberships/members/index.ts'

const unshared = 'private, no-store'

/** A view that tells when it is first asked about its visitor. */
export const noticing = (view: View, asked: () => void): View => {
  let isAsked = false
  const notice = (): View => {
    if (!isAsked) asked()
    isAsked = true
    return view
  }
  return wrapView(view, {
    user: () => notice().user(),
    standing: () => notice().standing(),
    mayTouch: (subscription) => notice().mayTouch(subscription),
    allows: (gate) => notice().allows(gate),
    disallows: (gate) => notice().disallows(gate),
    provider: (key) => notice().provider(key),
    arrears: (voice) => notice().arrears(voice),
  })
}

/** The same for a page of Node's: whoever asked who is there has made it for this visitor alone, and no shared cache keeps
 *  it, unless the host says otherwise. */
export const unsharedOnceAsked = (view: View, response: ServerResponse): View =>
  noticing(view, () => {
    if (response.headersSent) return
    onHeaders(response, () => {
      if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', unshared)
    })
  })

/** Keeps a page out of every shared cache, whatever its host sets. */
export const keepUnshared = (response: ServerResponse): void =>
  onHeaders(response, () => {
    response.setHeader('Cache-Control', unshared)
  })

/** An answer with what its request was given to set, such as the cookie of a form. */
export const withHeaders = (response: Response, added: Headers, { asked }: { asked: boolean }): Response => {
  const isShared = asked && !response.headers.has('Cache-Control')
  const missing = added.getSetCookie().filter((one) => !response.headers.getSetCookie().includes(one))
  if (!isShared && missing.length === 0) return response
  const headers = new Headers(response.headers)
  for (const cookie of missing) headers.append('Set-Cookie', cookie)
  if (isShared) headers.set('Cache-Control', unshared)
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}
