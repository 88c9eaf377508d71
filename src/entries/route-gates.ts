import type { GateId } from '../core/register.ts'
import type { GateTerms, Guard } from '../memberships/members/index.ts'
import type { Membership } from '../site/membership.ts'
import { admittedOnWeb } from './denied.ts'

/** Gates by the pattern of a route, or of a folder above it. */
export type RouteGates = Readonly<Record<string, GateId | readonly GateId[]>>

/** Finds the gates of a route. The gate of the inner folder counts. */
export function gatesOfRoute(
  gates: RouteGates,
  route: string | null | undefined,
): GateId | readonly GateId[] | undefined {
  const above = Object.keys(gates).filter(
    (folder) => route === folder || route?.startsWith(folder.endsWith('/') ? folder : `${folder}/`),
  )
  return gates[above.sort((a, b) => b.length - a.length)[0] ?? '']
}

/** A page or an endpoint behind a gate. */
export interface GatedPage {
  readonly request: Request
  readonly page: () => Response | Promise<Response>
  readonly onDenied?: (() => Response) | undefined
}

/** Answers in place of a closed page, else runs the page. */
export type WebGate = (gated: GatedPage) => Promise<Response>

/** Returns a function that makes gates. Each asks the instance for its guard once, with its first request. */
export function createGates(instance: () => Promise<Membership>) {
  const gateOf = (gates: GateId | readonly GateId[], terms: GateTerms = {}): WebGate => {
    let guard: Guard<Request> | undefined
    return async ({ request, page, onDenied }) => {
      const m = await instance()
      guard ??= m.guard(gates, terms)
      return admittedOnWeb(m, request, { gates, guard, page, ...(onDenied ? { onDenied } : {}) })
    }
  }
  const known = new Map<GateId | readonly GateId[], WebGate>()
  /** Returns the gate of a route, whose gates are always the same value. */
  const ofRoute = (gates: GateId | readonly GateId[]): WebGate => {
    const gate = known.get(gates) ?? gateOf(gates)
    known.set(gates, gate)
    return gate
  }
  return { gateOf, ofRoute }
}

/** Says why a gated page must not be written at build time. */
export const prerenderedGate = (route: string): string =>
  `The page ${route} has a gate, but it is prerendered, so everybody could read its file. Render it on request.`

/** Getter of the view in a page that is written at build time. */
export const noVisitor = (): never => {
  throw new TypeError(
    'A prerendered page has no visitor. Set `export const prerender = false` for this page.',
  )
}
