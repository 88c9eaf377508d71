import type { ReactElement, ReactNode } from 'react'
import type { GateId, Names } from '../core/register.ts'
import type { View } from '../memberships/members/index.ts'
import type { Membership } from '../site/membership.ts'
import type { Visitor } from '../site/pages/index.ts'
import { accountCard, type PartProps, type PriceTableProps, priceTable } from './react-elements.ts'

// A file of its own, so that bundlers see where the browser's part begins.
export {
  AccountCard,
  MembershipProvider,
  PriceTable,
  setBasePath,
  useMembership,
} from 'membership/react/client'
export type {
  Visitor,
  VisitorCard,
  VisitorForm,
  VisitorMember,
  VisitorPlan,
  VisitorPrice,
  VisitorWords,
} from '../site/pages/index.ts'
export type { MembershipProviderProps, MembershipState } from './react-client.ts'
export type { PartProps, PriceTableProps } from './react-elements.ts'

/** The parts of `nextHost` that server components need. */
export interface ReactHost {
  readonly instance: () => Promise<Membership<Names>>
  readonly view: () => Promise<View>
  readonly requestNow: (method: 'GET') => Promise<Request>
}

/** Props of `Gate`. */
export interface GateProps {
  /** Plan, price or feature; of several, one is enough. */
  readonly opens: GateId | readonly GateId[]
  /** Shown to everybody else; nothing by default. */
  readonly fallback?: ReactNode
  readonly children?: ReactNode
}

/** Server components over a host: `export const { Gate, PriceTable, AccountCard } = reactParts(host)`. */
export function reactParts(host: ReactHost) {
  /** Describes the visitor, for `<MembershipProvider visitor={await visitor()}>`. */
  const visitor = async (): Promise<Visitor> => {
    // Asked first: while Next builds, this ends the rendering before anything is opened.
    const request = await host.requestNow('GET')
    return (await host.instance()).pages.visitor(request)
  }

  /** Shows its content to members with any of the gates. The content of a closed gate never leaves the server. */
  const Gate = async ({ opens, fallback = null, children = null }: GateProps): Promise<ReactNode> =>
    (await host.view()).allows(opens) ? children : fallback

  /** The price list, rendered on the server. */
  const PriceTable = async (props: PriceTableProps): Promise<ReactElement> =>
    priceTable(await visitor(), props)

  /** The memberships of the member, rendered on the server. */
  const AccountCard = async (props: PartProps): Promise<ReactElement> => accountCard(await visitor(), props)

  return { Gate, PriceTable, AccountCard, visitor }
}
