import { instance } from './membership.js'

export const onRequest = async ({ request, clientAddress, locals }, next) =>
  (await instance()).fetch(request, {
    address: clientAddress,
    next: (view) => {
      locals.membership = view
      return next()
    },
  })
