module.exports = {
  connection: {
    client: 'sqlite',
    connection: { filename: process.env.STRAPI_DATABASE ?? 'strapi.db' },
    useNullAsDefault: true,
  },
}
