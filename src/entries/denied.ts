import { type MembershipError, toProblem } from '../core/errors.ts'
import type { View } from '../memberships/members/index.ts'

/** What a gate answers whom it stops, unless the host has a page of its own for them: a problem document. */
export const deniedAnswer = (error: MembershipError): { status: number; type: string; body: string } => {
  const { status, body } = toProblem(error)
  return { status, type: 'application/problem+json', body: JSON.stringify(body) }
}

/** The view that the middleware has left at Node's request, else the request itself. */
export const askable = <R extends object>(request: R): View | R =>
  (request as { membership?: View }).membership ?? request
