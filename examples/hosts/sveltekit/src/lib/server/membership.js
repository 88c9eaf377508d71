import { createMembership } from 'membership'
import { svelteKitHost } from 'membership/sveltekit'
import options from '../../../../membership.config.mjs'

export const host = svelteKitHost(() => createMembership(options), { gates: { '/(members)': 'pro' } })
