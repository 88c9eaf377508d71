import type { IncomingMessage, ServerResponse } from 'node:http'
import { type MembershipError, toProblem } from '../core/errors.ts'
import type { GateId } from '../core/register.ts'
import { problemResponse } from '../site/hosts/web.ts'
import type { Membership } from '../site/membership.ts'

/** An answer that a host sends in its own way. */
export interface DeniedAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Builds the answer to a program that a gate blocks: a problem document. */
export const deniedAnswer = (error: MembershipError): DeniedAnswer => {
  const { status, body } = toProblem(error)
  return { status, type: 'application/problem+json', body: JSON.stringify(body) }
}

/** Answers a visitor whom a gate blocks, unless the host has its own page for that. Browsers get the page
 *  that says what opens this one; programs get a problem document. Its forms' cookies are set on the
 *  response. */
export const deniedOnNode = async (
  m: Membership,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { gates, error }: { readonly gates: GateId | readonly GateId[]; readonly error: MembershipError },
): Promise<DeniedAnswer> => {
  if (!takesPages(request.headers.accept)) return deniedAnswer(error)
  const body = await m.pages.locked(request, response, [gates].flat())
  return { status: error.status, type: 'text/html; charset=utf-8', body }
}

/** Does the same for web-standard requests. */
export const deniedOnWeb = async (
  m: Membership,
  request: Request,
  { gates, error }: { readonly gates: GateId | readonly GateId[]; readonly error: MembershipError },
): Promise<Response> => {
  if (!takesPages(request.headers.get('accept'))) return problemResponse(error)
  const { html, headers } = await m.pages.locked(request, [gates].flat())
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(html, { status: error.status, headers })
}

const takesPages = (accept: string | null | undefined): boolean => accept?.includes('text/html') ?? false
