'use client'

import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useSyncExternalStore,
} from 'react'
import type { Visitor } from '../site/pages/index.ts'
import { accountCard, type PartProps, type PriceTableProps, priceTable } from './react-elements.ts'

/** The visitor in the browser. */
export interface MembershipState {
  /** Null until the visitor is known. */
  readonly visitor: Visitor | null
  /** The reason why the visitor could not be loaded. */
  readonly error: Error | null
  /** True if the gate is open. Hide nothing with it that must stay secret: the browser has it already. */
  readonly allows: (gate: string | readonly string[]) => boolean
  /** Loads the visitor again, after a login or a purchase in another tab. */
  readonly reload: () => Promise<void>
}

interface Known {
  readonly visitor: Visitor | null
  readonly error: Error | null
}
const nobody: Known = { visitor: null, error: null }
let known = nobody
let loading: Promise<void> | null = null
const listeners = new Set<() => void>()

function set(next: Known): void {
  known = next
  for (const listener of listeners) listener()
}
function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

let site = ''
/** Sets the path below which the site stands, `membership.base_path`, for pages without a visitor of the server. */
export function setBasePath(path: string): void {
  site = path.replace(/\/+$/, '')
}

// All components of a page share one request.
function load(): Promise<void> {
  loading ??= fetch(`${site}/membership/me`, { headers: { accept: 'application/json' } })
    .then(async (answer) => {
      if (!answer.ok) throw new Error(`/membership/me was answered ${answer.status}.`)
      set({ visitor: (await answer.json()) as Visitor, error: null })
    })
    .catch((error: unknown) => set({ visitor: known.visitor, error: error as Error }))
    .finally(() => {
      loading = null
    })
  return loading
}

const FromServer = createContext<Visitor | null>(null)

/** Props of `MembershipProvider`. */
export interface MembershipProviderProps {
  /** The visitor as the server knows it, so that the first rendering is complete. */
  readonly visitor: Visitor
  readonly children?: ReactNode
}

/** Gives the components below the visitor of the server's rendering. */
export function MembershipProvider({ visitor, children }: MembershipProviderProps): ReactElement {
  return createElement(FromServer.Provider, { value: visitor }, children)
}

/** Returns the visitor from `GET /membership/me`, loaded once for all components. */
export function useMembership(): MembershipState {
  const fromServer = useContext(FromServer)
  const { visitor: loaded, error } = useSyncExternalStore(
    subscribe,
    () => known,
    () => nobody,
  )
  useEffect(() => {
    if (known.visitor === null && fromServer === null) void load()
  }, [fromServer])
  const visitor = loaded ?? fromServer
  return {
    visitor,
    error,
    allows: (gate) => [gate].flat().some((name) => visitor?.gates.includes(name) ?? false),
    reload: load,
  }
}

/** The price list. It is empty until the visitor is known. */
export function PriceTable(props: PriceTableProps): ReactElement {
  const { visitor } = useMembership()
  if (visitor !== null) return priceTable(visitor, props)
  const { plans: _, ...rest } = props
  return createElement('div', { ...rest, 'aria-busy': true })
}

/** The account card: the memberships of the member, or the login. It is empty until the visitor is known. */
export function AccountCard(props: PartProps): ReactElement {
  const { visitor } = useMembership()
  return visitor === null
    ? createElement('section', { ...props, 'aria-busy': true })
    : accountCard(visitor, props)
}
