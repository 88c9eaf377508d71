import { normalEmail } from '../../core/email.ts'
import type { User } from '../members/index.ts'

/** A subscription by its provider's names. */
export interface Place {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** Something that tells a person again: a customer, an address, a card or bank account. */
export type Evidence = readonly [
  kind: 'customer' | 'email' | 'method' | 'ended' | 'begun',
  ...value: string[],
]

/** Tells of nobody: that this second trial was ended. */
export const ofEnded = ({ provider, account, id }: Place): Evidence => ['ended', provider, account, id]

/** Tells of nobody: a checkout of this site began the subscription with free days. */
export const ofStarted = ({ provider, account, id }: Place): Evidence => ['begun', provider, account, id]

/** A customer of a provider, in the account that it belongs to. */
export const ofCustomer = (provider: string, account: string, id: string): Evidence => [
  'customer',
  provider,
  account,
  id,
]

/** An address that is known to be theirs; one that anybody may have typed tells of nobody. */
export const ofAddress = (user: Pick<User, 'email' | 'email_verified'> | null): Evidence[] =>
  user?.email_verified ? typed(user.email) : []

/** The same of an address whose owner is not asked: good enough to recognise, never to remember. */
export const typed = (email: string | null | undefined): Evidence[] => {
  const normal = normalEmail(email)
  return normal === null ? [] : [['email', normal]]
}

/** Reads the marks of a payment method, by the provider's own text for it. */
export const ofMethods = (provider: string, methods: readonly string[]): Evidence[] =>
  methods.map((method) => ['method', provider, method])

/** Reads the marks of a member before they choose. */
export const ofMember = (user: User, providers: Iterable<string>): Evidence[] => [
  ...ofAddress(user),
  ...[...providers].flatMap((provider) =>
    user.customers(provider).map(({ account, id }) => ofCustomer(provider, account, id)),
  ),
]
