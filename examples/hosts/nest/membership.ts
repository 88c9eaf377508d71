import { createMembership } from 'membership'
import { nestHost } from 'membership/nest'
import options from '../membership.config.mjs'

export const { mount, gate, form, who } = nestHost(() => createMembership(options))
