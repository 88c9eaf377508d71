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
  readonly terms?: GateTerms | undefined
  readonly onDenied?: (() => Response) | undefined
}

/** Returns a function that answers in place of a closed page, else runs the page. */
export function createGates(instance: () => Promise<Membership>) {
  const guards = new Map<string, Guard<Request>>()
  return async (
    gates: GateId | readonly GateId[],
    { request, page, terms = {}, onDenied }: GatedPage,
  ): Promise<Response> => {
    const m = await instance()
    const key = JSON.stringify([gates, terms])
    const guard = guards.get(key) ?? m.guard(gates, terms)
    guards.set(key, guard)
    return admittedOnWeb(m, request, { gates, guard, page, ...(onDenied ? { onDenied } : {}) })
  }
}

/** Says why a gated page must not be written at build time. */
export const prerenderedGate = (route: string): string =>
  `The page ${route} has a gate, but it is prerendered, so everybody could read its file. Set \`export const prerender = false\` for it.`

/** Getter of the view in a page that is written at build time. */
export const noVisitor = (): never => {
  throw new TypeError(
    'A prerendered page has no visitor. Set `export const prerender = false` for this page.',
  )
}
