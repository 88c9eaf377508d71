import { findNearest } from '../core/config/index.ts'
import type { GateId, Names } from '../core/register.ts'
import type { GateTerms, Guard } from '../memberships/members/index.ts'
import type { Membership } from '../site/membership.ts'
import { admittedOnWeb } from './denied.ts'

/** Gates by the pattern of a route, or of a folder above it. */
export type RouteGates = Readonly<Record<string, GateId | readonly GateId[]>>

/** Finds the gates of a request, by the pattern of its route and its address. */
export type GatesOfRoute = (
  route: string | null | undefined,
  pathname: string,
) => GateId | readonly GateId[] | undefined

/**
 * Returns the gates of routes. A key is a route or a folder above it, with or without the groups that no address shows.
 * The gate of the inner folder counts. `routes` are all routes of the site. Where they are null, nobody knows if a key
 * is misspelt, so a key also closes each address that it matches, and each below the part before its first parameter.
 * @throws for a key that none of `routes` matches
 */
export function createRouteGates(gates: RouteGates, routes: readonly string[] | null): GatesOfRoute {
  const byKey = new Map(Object.entries(gates).map(([key, gate]) => [folderOf(key), gate]))
  if (routes !== null) requireKnown([...byKey.keys()], routes)
  // The inner folders first.
  const keys = [...byKey.keys()].sort((a, b) => b.length - a.length)
  return (route, pathname) => {
    if (route === null || route === undefined) return undefined
    const found = keys.find(
      (key) => isInFolder(route, key) || (routes === null && closesAddress(key, pathname)),
    )
    return found === undefined ? undefined : byKey.get(found)
  }
}

/** @throws for a key that no route matches */
function requireKnown(keys: readonly string[], routes: readonly string[]): void {
  const lost = keys.find((key) => !routes.some((route) => isInFolder(route, key)))
  if (lost === undefined) return
  const nearest = findNearest(lost, [...routes, ...routes.map(withoutGroups)])
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  throw new TypeError(`membership: "${lost}" in gates is no route of this site, and closes nothing.${hint}`)
}

/** A key as routes are written: a slash in front, and none at the end. */
function folderOf(key: string): string {
  return `/${key.replace(/^\/+|\/+$/g, '')}`
}

function isBelow(route: string, folder: string): boolean {
  return route === folder || route.startsWith(folder === '/' ? folder : `${folder}/`)
}

/** True for a route in the folder. A folder that names no group is also found by the address of its pages. */
function isInFolder(route: string, folder: string): boolean {
  return isBelow(route, folder) || (!group.test(folder) && isBelow(withoutGroups(route), folder))
}

const group = /\/\([^/)]+\)(?=\/|$)/
function withoutGroups(route: string): string {
  return route.replace(new RegExp(group, 'g'), '') || '/'
}

/** True for an address that the pattern matches, or below it, and for one below the part before its first parameter. */
function closesAddress(key: string, pathname: string): boolean {
  // A folder with groups alone would close every address.
  const pattern = withoutGroups(key)
  if (pattern === '/') return key === '/'
  const wanted = pattern.slice(1).split('/')
  const given = pathname.split('/').filter((part) => part !== '')
  const fixed = wanted.findIndex((part) => part.includes('['))
  if (fixed !== 0 && startsWith(given, fixed === -1 ? wanted : wanted.slice(0, fixed))) return true
  return startsWith(given, wanted)
}

/** True where each part of an address matches the part of a pattern. A rest or optional parameter may match nothing. */
function startsWith(given: readonly string[], wanted: readonly string[]): boolean {
  const [part, ...rest] = wanted
  if (part === undefined) return true
  if (part.startsWith('[...'))
    return given.some((_, n) => startsWith(given.slice(n), rest)) || rest.length === 0
  if (part.startsWith('[[') && startsWith(given, rest)) return true
  const [first, ...others] = given
  if (first === undefined) return false
  return (part.includes('[') || decoded(first) === part) && startsWith(others, rest)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
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
export function createGates(instance: () => Promise<Membership<Names>>) {
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
export function prerenderedGate(route: string): string {
  return `The page ${route} has a gate, but it is prerendered, so everybody could read its file. Render it on request.`
}

/** Getter of the view in a page that is written at build time. */
export function noVisitor(): never {
  throw new TypeError(
    'A prerendered page has no visitor. Set `export const prerender = false` for this page.',
  )
}
