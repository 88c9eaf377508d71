import type { CoreConfig } from './schema.ts'

/** The providers that a checkout may use: the one for new checkouts first, then those that a form may name. */
export const sellersOf = ({
  provider: { handler, choices },
}: Pick<CoreConfig, 'provider'>): readonly string[] => [
  ...new Set([...(handler === null ? [] : [handler]), ...choices]),
]
