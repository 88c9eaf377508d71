module.exports = {
  'users-permissions': { config: { jwtSecret: 'a text of the walk; yours is random' } },
  membership: {
    enabled: true,
    resolve: './src/plugins/membership',
    // Whether Strapi's users are the members; else they log in by the package's links.
    config: { users: process.env.STRAPI_USERS === 'yes' },
  },
}
