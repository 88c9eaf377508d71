import { createMembership } from 'membership'
import { nextHost } from 'membership/next'
import { reactParts } from 'membership/react'
import options from '../../membership.config.mjs'

export const host = nextHost(() => createMembership(options))
export const { AccountCard, Gate, PriceTable, visitor } = reactParts(host)
