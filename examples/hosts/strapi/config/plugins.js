const path = require('node:path')

const data = process.env.SITE_DATA ?? path.join(process.cwd(), 'data')

module.exports = ({ env }) => ({
  'users-permissions': { config: { jwtSecret: env('JWT_SECRET', 'only-for-development') } },
  graphql: { config: { defaultLimit: 25, maxLimit: 100, depthLimit: 10 } },
  membership: {
    enabled: true,
    config: {
      cookie: 'jwt', // your site keeps the token of users-permissions in it
      loginPage: '/login',
      isEditor: (user) => user.role?.type === 'editor',
      membership: {
        'membership.url': env('SITE_URL', 'http://localhost:1337'),
        'membership.database.url': `sqlite:${path.join(data, 'membership.db')}`,
        'membership.provider.handler': 'stripe',
        'membership.providers.stripe': {
          secret: env('STRIPE_SECRET'),
          webhook: env('STRIPE_WEBHOOK_SECRET'),
          api_base: env('STRIPE_API_BASE'),
          plans: {
            pro: {
              name: 'Pro',
              prices: [{ id: 'price_pro', amount: 900, currency: 'EUR', interval: 'month' }],
            },
          },
        },
      },
    },
  },
})
