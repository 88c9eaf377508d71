import { createMembership } from 'membership'
import { reactRouterHost } from 'membership/react-router'
import options from '../../membership.config.mjs'

export const host = reactRouterHost(() => createMembership(options))
