import { createMembership } from 'membership'
import { nextHost } from 'membership/next'
import options from '../../membership.config.mjs'

export const host = nextHost(() => createMembership(options))
