import { createMembership } from 'membership'
import { nestHost } from 'membership/nest'
import { settings } from '../settings.mjs'

export const { mount, gate, form, who } = nestHost(() => createMembership(settings))
