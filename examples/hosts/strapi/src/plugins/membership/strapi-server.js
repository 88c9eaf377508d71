const { createMembership, membership } = require('membership')

/** Strapi's own users are the members, once their address is confirmed. Where Strapi is not told to have addresses
 *  confirmed (Settings, Advanced settings), it calls every one so: then nobody is believed. */
const identify =
  (strapi) =>
  async ({ request: ctx }) => {
    const users = strapi.plugin('users-permissions')
    const token = await Promise.resolve(users.service('jwt').getToken(ctx)).catch(() => null)
    if (!token) return null
    const user = await users.service('user').fetch(token.id)
    const advanced = await strapi.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' }).get()
    const isProven = advanced?.email_confirmation && user?.confirmed && !user.blocked
    return isProven ? { email: user.email } : null
  }

const pages = async (ctx, next) => {
  const m = membership()
  if (ctx.path === '/buy' && ctx.method === 'POST') {
    const { url } = await m.checkout.start({ request: ctx, price: 'price_pro', redirect: '/archive' })
    return ctx.redirect(url)
  }
  if (ctx.path === '/cancel' && ctx.method === 'POST') {
    const [subscription] = ctx.membership.user()?.subscriptions() ?? []
    await m.subscriptions.cancel({ request: ctx, subscriptionId: subscription?.id ?? '' })
  } else if (ctx.path !== '/') return next()
  ctx.body = m.pages.form(ctx, { ...m.provider().subscriptionAction('price_pro'), label: 'Join' })
}

module.exports = {
  async register({ strapi }) {
    const { default: options } = await import('../../../../membership.config.mjs')
    const ownUsers = strapi.config.get('plugin::membership.users') ? { identify: identify(strapi) } : {}
    const m = await createMembership({ ...options, ...ownUsers })
    // Above Strapi's parser of bodies, since signatures are made over the raw bytes.
    strapi.server.use(m.koa())
    strapi.server.use(pages)
  },
  async destroy() {
    await membership().close()
  },
  policies: {
    /** Of a content type with the fields `slug` and `gate`: an entry whose gate is closed to this visitor is refused. */
    gate: async (ctx, { of }, { strapi }) => {
      const entry = await strapi.documents(of).findFirst({ filters: { slug: ctx.params.slug } })
      return !entry?.gate || membership().allows(entry.gate)
    },
  },
}
