const gate = { name: 'plugin::membership.gate', config: { of: 'api::article.article' } }

module.exports = {
  routes: [
    { method: 'GET', path: '/:slug', handler: 'article.show', config: { auth: false, policies: [gate] } },
  ],
}
