const { requires } = require('membership/strapi')

module.exports = {
  routes: [
    {
      method: 'GET',
      path: '/archive',
      handler: 'archive.show',
      config: { auth: false, policies: [requires('pro')] },
    },
  ],
}
