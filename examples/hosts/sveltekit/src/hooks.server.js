import { createMembership, membership } from 'membership'
import { settings } from '../../settings.mjs'

export const init = async () => {
  await createMembership(settings)
}

export const handle = ({ event, resolve }) =>
  membership().fetch(event.request, {
    address: event.getClientAddress(),
    next: (view) => {
      event.locals.membership = view
      return resolve(event)
    },
  })
