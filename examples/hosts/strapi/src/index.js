const password = 'correct horse battery staple'
const [articles, recipes, notes] = ['article', 'recipe', 'note'].map((name) => `api::${name}.${name}`)

/** Rights of visitors and members: everybody may ask for content, and membership decides what is found. */
async function permit(strapi, role, actions) {
  for (const action of actions)
    await strapi.db.query('plugin::users-permissions.permission').create({ data: { action, role } })
}

module.exports = {
  // The content and the people of the walk.
  async bootstrap({ strapi }) {
    if ((await strapi.documents(articles).count()) > 0) return
    const advanced = strapi.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' })
    await advanced.set({ value: { ...(await advanced.get()), email_confirmation: true } })

    const roles = strapi.db.query('plugin::users-permissions.role')
    await roles.create({ data: { name: 'Editor', type: 'editor', description: 'Reads everything' } })
    const reads = [articles, recipes, notes].flatMap((uid) => [`${uid}.find`, `${uid}.findOne`])
    for (const type of ['public', 'authenticated', 'editor']) {
      const { id } = await roles.findOne({ where: { type } })
      await permit(strapi, id, [...reads, 'plugin::upload.content-api.find'])
      // More than most sites allow, so that the walk can try to read by changing.
      if (type !== 'public') await permit(strapi, id, [`${articles}.update`, `${notes}.update`])
      if (type === 'editor')
        await permit(
          strapi,
          id,
          ['find', 'destroy'].map((action) => `plugin::users-permissions.user.${action}`),
        )
    }
    const people = strapi.plugin('users-permissions').service('user')
    for (const [username, type] of [
      ['ada', 'authenticated'],
      ['bob', 'authenticated'],
      ['eddy', 'editor'],
    ]) {
      const { id } = await roles.findOne({ where: { type } })
      const email = `${username}@example.com`
      await people.add({ username, email, password, provider: 'local', confirmed: true, role: id })
    }

    const publish = (data) => strapi.documents(articles).create({ data, status: 'published' })
    await publish({ title: 'Free', body: 'Everybody reads this.' })
    const gated = await publish({ title: 'Gated', body: 'CLOSED-TEXT article', gate: 'pro' })
    const { documentId } = gated
    await strapi.documents(articles).update({ documentId, data: { body: 'DRAFT-TEXT changed' } })
    await strapi.documents(articles).create({ data: { title: 'Plan', body: 'DRAFT-TEXT free' } })
    const recipe = await strapi.documents(recipes).create({
      data: {
        title: 'Bread',
        body: 'CLOSED-TEXT recipe',
        gate: 'pro',
        sources: [{ title: 'CLOSED-TEXT source' }],
      },
    })
    await strapi.documents(recipes).create({ data: { title: 'Water', body: 'Everybody drinks this.' } })
    await strapi.documents(notes).create({
      data: {
        title: 'A note',
        tip: 'CLOSED-TEXT tip',
        about: documentId,
        recipe: recipe.documentId,
        parts: [{ __component: 'parts.extra', title: 'Part', hint: 'CLOSED-TEXT hint' }],
      },
    })
  },
}
