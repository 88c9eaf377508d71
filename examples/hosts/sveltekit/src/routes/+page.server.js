import { host } from '#lib/server/membership.js'

export const load = async (event) => ({
  form: await host.form(event, {
    ...event.locals.membership.provider().subscriptionAction('price_pro'),
    label: 'Join',
  }),
})
