import { membership } from 'membership'

export const load = ({ request, locals }) => {
  const m = membership()
  const { html } = m.pages.form(request, {
    ...locals.membership.provider().subscriptionAction('price_pro'),
    label: 'Join',
  })
  return { form: html }
}
