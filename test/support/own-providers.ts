import type { MembershipOptions } from '../../src/index.ts'

/** Keys of providers that only a test has; a site declares its own in `Register`. */
export function own(options: Readonly<Record<string, unknown>>): MembershipOptions {
  return options as MembershipOptions
}
