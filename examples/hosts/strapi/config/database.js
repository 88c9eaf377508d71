const path = require('node:path')

const data = process.env.SITE_DATA ?? path.join(process.cwd(), 'data')

module.exports = {
  connection: {
    client: 'sqlite',
    connection: { filename: path.join(data, 'strapi.db') },
    useNullAsDefault: true,
  },
}
