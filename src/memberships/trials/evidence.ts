import { normalEmail } from '../../core/email.ts'
import type { User } from '../members/index.ts'

/** A subscription's key at its provider. */
export interface Place {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** A fact that recognises a person: a customer, an address, a card or bank account. */
export type Evidence = readonly [
  kind: 'customer' | 'email' | 'method' | 'ended' | 'begun' | 'reduced',
  ...value: string[],
]

/** Marks a second trial as ended. It identifies no person. */
export function ofEnded({ provider, account, id }: Place): Evidence {
  return ['ended', provider, account, id]
}

/** Marks that a checkout of this site began the subscription with free days. It identifies no person. */
export function ofStarted({ provider, account, id }: Place): Evidence {
  return ['begun', provider, account, id]
}

/** Marks a subscription whose next payment was reduced. It identifies no person. */
export function ofReduced({ provider, account, id }: Place): Evidence {
  return ['reduced', provider, account, id]
}

/** A customer in one account of a provider. */
export function ofCustomer(provider: string, account: string, id: string): Evidence {
  return ['customer', provider, account, id]
}

/** The member's proved address. An unproved one identifies nobody, because anybody may have typed it. */
export function ofAddress(user: Pick<User, 'email' | 'email_verified'> | null): Evidence[] {
  return user?.email_verified ? typed(user.email) : []
}

/** An address without proof: good enough to recognise a person, never to remember one. */
export function typed(email: string | null | undefined): Evidence[] {
  const normal = normalEmail(email)
  return normal === null ? [] : [['email', normal]]
}

/** Reads the evidence of payment methods from the provider's own text. */
export function ofMethods(provider: string, methods: readonly string[]): Evidence[] {
  return methods.map((method) => ['method', provider, method])
}

/** Reads a member's evidence before they choose a price. */
export function ofMember(user: User, providers: Iterable<string>): Evidence[] {
  return [
    ...ofAddress(user),
    ...[...providers].flatMap((provider) =>
      user.customers(provider).map(({ account, id }) => ofCustomer(provider, account, id)),
    ),
  ]
}
