import { requireOwnView, toView, type View } from '../../memberships/members/index.ts'
import { isUser } from '../hosts/contexts.ts'
import type { Membership } from './instance.ts'
import type { People } from './people.ts'

/** What templates and scripts ask: of the view of the running request, or of one that they name. */
export const templateApi = (
  { viewOf, viewRules }: Pick<People, 'viewOf' | 'viewRules'>,
  /** `current` is the view of the running request; `scope` runs something with another. */
  { current, scope }: { current: () => View; scope: <T>(view: View, fn: () => T) => T },
): Pick<
  Membership,
  'user' | 'provider' | 'allows' | 'disallows' | 'plans' | 'products' | 'viewOf' | 'runAs'
> => ({
  user: () => current().user(),
  provider: (key) => current().provider(key),
  allows: (gate) => current().allows(gate),
  disallows: (gate) => current().disallows(gate),
  plans: () => viewRules.plans,
  products: (type) => toView(null, viewRules).products(type),
  viewOf,
  runAs: (subject, fn) => {
    if (subject === null || isUser(subject)) return scope(toView(subject, viewRules), fn)
    requireOwnView(subject, viewRules)
    return scope(subject, fn)
  },
})
