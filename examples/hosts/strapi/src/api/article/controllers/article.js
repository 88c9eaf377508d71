const { createCoreController } = require('@strapi/strapi').factories

module.exports = createCoreController('api::article.article', ({ strapi }) => ({
  async show(ctx) {
    const { slug } = ctx.params
    const entry = await strapi.documents('api::article.article').findFirst({ filters: { slug } })
    if (!entry) return ctx.notFound()
    return this.sanitizeOutput(entry, ctx)
  },
}))
