import { createMembership } from 'membership'
import { nextHost } from 'membership/next'
import { settings } from '../../settings.mjs'

export const host = nextHost(() => createMembership(settings))
