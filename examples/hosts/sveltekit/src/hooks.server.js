import { createMembership, membership } from 'membership'
import options from '../../membership.config.mjs'

export const init = async () => {
  await createMembership(options)
}

export const handle = ({ event, resolve }) =>
  membership().fetch(event.request, {
    address: event.getClientAddress(),
    next: (view) => {
      event.locals.membership = view
      return resolve(event)
    },
  })
