module.exports = {
  // One article behind a gate; editors choose it in the entry's field.
  async bootstrap({ strapi }) {
    const articles = strapi.documents('api::article.article')
    const there = await articles.findFirst({ filters: { slug: 'archive' } })
    if (!there) await articles.create({ data: { slug: 'archive', text: 'The archive.', gate: 'pro' } })
  },
}
