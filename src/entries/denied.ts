import type { IncomingMessage, ServerResponse } from 'node:http'
import { type MembershipError, toProblem } from '../core/errors.ts'
import type { GateId, Names } from '../core/register.ts'
import { type GateAnswer, type Guard, type GuardResult, isSuccess } from '../memberships/members/index.ts'
import { withUnshared } from '../site/hosts/asked.ts'
import { problemResponse } from '../site/hosts/web.ts'
import type { Membership } from '../site/membership.ts'

/** An answer that a host sends in its own way. */
export interface DeniedAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Builds the answer to a program that a gate blocks: a problem document. */
export function deniedAnswer(error: MembershipError): DeniedAnswer {
  const { status, body } = toProblem(error)
  return { status, type: 'application/problem+json', body: JSON.stringify(body) }
}

/**
 * Answers a visitor whom a gate blocks, unless the host has its own page for that. Browsers get the page that
 * says what opens this one; programs get a problem document. Its forms' cookies are set on the response.
 */
export async function deniedOnNode(
  m: Membership<Names>,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { gates, error }: { readonly gates: GateId | readonly GateId[]; readonly error: MembershipError },
): Promise<DeniedAnswer> {
  if (!takesPages(request.headers.accept)) return deniedAnswer(error)
  const body = await m.pages.locked(request, response, [gates].flat())
  return { status: error.status, type: 'text/html; charset=utf-8', body }
}

/** Does the same for web-standard requests. */
async function deniedOnWeb(
  m: Membership<Names>,
  request: Request,
  { gates, error }: { readonly gates: GateId | readonly GateId[]; readonly error: MembershipError },
): Promise<Response> {
  if (!takesPages(request.headers.get('accept'))) return problemResponse(error)
  const { html, headers } = await m.pages.locked(request, [gates].flat())
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(html, { status: error.status, headers })
}

/** Runs a web-standard page behind a gate, or answers in its place. Its answers are never cached for others. */
export async function admittedOnWeb(
  m: Membership<Names>,
  request: Request,
  page: {
    readonly gates: GateId | readonly GateId[]
    readonly guard: Guard<Request>
    readonly page: () => Response | Promise<Response>
    readonly onDenied?: () => Response | Promise<Response>
  },
): Promise<Response> {
  const { gates, guard, onDenied } = page
  const result = await guard(request)
  const { cookies = [] } = result
  if (result.allowed)
    try {
      const shown = await page.page()
      if (!isSuccess(shown.status)) await result.giveBack?.()
      return withCookies(withUnshared(await markedOnWeb(shown, guard.mark)), cookies)
    } catch (error) {
      await result.giveBack?.()
      throw error
    }
  const { error, answer, isShared } = result
  if (answer) return withCookies(withUnshared(answerOnWeb(answer)), cookies)
  const closed = onDenied ? await onDenied() : await deniedOnWeb(m, request, { gates, error })
  return withUnshared(await markedOnWeb(closed, guard.mark), isShared)
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  const known = response.headers.getSetCookie()
  for (const cookie of cookies) if (!known.includes(cookie)) response.headers.append('Set-Cookie', cookie)
  return response
}

/** Sends an answer that the gate gives by itself. */
function answerOnWeb({ status, location }: GateAnswer): Response {
  return new Response(null, { status, headers: location === null ? {} : { location } })
}

/** Gives a counted page back if the route then answers with an error or a redirect. */
export function givingBack(response: ServerResponse, { giveBack }: Extract<GuardResult, { allowed: true }>) {
  if (giveBack === undefined) return
  response.once('finish', () => {
    // A page that stays counted is open for the period, so a failure here closes nothing.
    if (!isSuccess(response.statusCode)) giveBack().catch(() => undefined)
  })
}

/** Adds the data for search engines to a web-standard page. */
async function markedOnWeb(response: Response, mark: (html: string) => string): Promise<Response> {
  if (!isHtml(response.headers.get('content-type'))) return response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  const html = mark(await response.text())
  return new Response(html, { status: response.status, statusText: response.statusText, headers })
}

export function isHtml(type: unknown): boolean {
  return String(type ?? '').includes('text/html')
}

function takesPages(accept: string | null | undefined): boolean {
  return accept?.includes('text/html') ?? false
}
